"""What stands where students write text: the builder puts it there, the reader takes it away."""

PREDICTION = "*Your prediction, before you run the cell.*"
WRITTEN = "*Write your answer here.*"
