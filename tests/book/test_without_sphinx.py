"""What `course build` writes into README and the like needs no Sphinx."""

import subprocess
import sys

from checkout import ROOT

ASKED = """
import sys
sys.modules.update(dict.fromkeys(("sphinx", "docutils", "myst_nb")))  # importing them fails
from book import documents
from grader.course.course import Course
readme = documents.study_plan.filled(open("README.md", encoding="utf-8").read(), Course.here())
print(readme.count("- [ ]"))
"""


def test_the_study_plan_of_readme_is_filled_without_sphinx():
    done = subprocess.run(
        [sys.executable, "-c", ASKED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) > 10
