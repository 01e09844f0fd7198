"""The paper's relatives: decoder-only, encoder-only and recurrent models, and their own parts."""
