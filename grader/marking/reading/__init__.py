"""What a marker reads: answers made safe to show, which are alike, rubric and model answer."""
