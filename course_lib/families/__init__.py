"""The paper's relatives: decoder-only, encoder-only, recurrent models; other position schemes."""
