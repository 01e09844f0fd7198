"""Takes the pictures of the repository's front page; `book.documents.front_page` shows them."""
