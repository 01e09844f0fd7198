// Takes the place of the theme's file of that name, 1.5 MB of icons: the few we show are in icons.css.
