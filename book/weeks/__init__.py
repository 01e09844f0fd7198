"""The weeks as the syllabus and the lectures have them; needs no Sphinx, unlike what shows them."""
