"""How a page fits its screen: what it loads, dark pictures, equations that break."""
