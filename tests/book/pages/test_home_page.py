"""The home page in a browser: what is due on a day, what is done, and where it is kept."""

import json
from datetime import datetime, timezone

import pytest
from browser import expect

from grader.course.course import Course

pytest.importorskip("myst_nb", reason="the extra `site` needs Python 3.11")
pytestmark = pytest.mark.xdist_group("site")


@pytest.fixture
def page(chromium):
    """The one tab of a browser without any memory, in a time zone of its own.

    A page that is opened may be a new process, which sees what the last one kept a moment later.
    """
    window = chromium.new_context(timezone_id="UTC", locale="en-GB")
    yield window.new_page()
    window.close()


@pytest.fixture
def open_home(page, site_address):
    """Opens the home page as it is on a day."""

    def opened(day):
        page.clock.set_fixed_time(datetime.fromisoformat(f"{day}T10:00:00+00:00"))
        page.goto(f"{site_address}/index.html")

    return opened


def now(page):
    return page.locator(".plan-now").inner_text()


def step(page, label):
    return page.get_by_role("checkbox", name=label)


def test_every_part_quiz_and_assignment_is_a_step_of_its_week(open_home, page, course):
    open_home("2027-01-01")
    assert [text.split("\n")[0] for text in page.locator(".week h3").all_inner_texts()] == [
        "Week 1",
        "Week 2",
        "Week 3",
        "Weeks 4–5",
        "Weeks 6–7",
    ]
    steps = len(course.parts) * 2 + len(course.assignments)
    assert page.locator(".plan label").first.inner_text() == f"0 of {steps} steps done"
    for assignment in course.assignments:
        assert step(page, f"Assignment {assignment.id[1:]}: {assignment.title}").count() == 1
    listed = page.locator(".labs li").all_inner_texts()
    assert all(lab.title in text for lab, text in zip(course.labs, listed, strict=True))


def test_it_says_what_is_due_on_the_courses_days(open_home, page):
    open_home("2027-01-31")
    assert now(page).startswith("Week 1 begins tomorrow, on Monday")
    open_home("2027-02-09")
    assert "Week 2. To do: Part 3: Multi-head attention; Quiz 3; Assignment 2" in now(page)
    assert "(due in 6 days)" in now(page)
    assert "Overdue: assignment 1 (due Monday" in now(page)
    step(page, "Assignment 1").check()
    step(page, "Quiz 3").check()
    assert "Overdue" not in now(page)
    assert "Quiz 3" not in now(page)
    open_home("2027-06-01")
    assert now(page).startswith("The last week is over.")


def test_a_first_day_of_ones_own_moves_every_date_and_is_kept(open_home, page):
    open_home("2027-06-08")
    page.get_by_label("First day").fill("2027-06-07")
    assert now(page).startswith("Week 1. To do: Part 1")
    assert "(due in 6 days)" in now(page)
    open_home("2027-06-08")
    expect(page.get_by_label("First day")).to_have_value("2027-06-07")
    assert "14 June 2027" in page.locator(".week time").first.inner_text()
    page.get_by_role("button", name="Use the course’s dates").click()
    assert "8 February 2027" in page.locator(".week time").first.inner_text()


def test_what_is_done_is_kept_and_can_be_marked_by_keys_alone(open_home, page, site_address):
    open_home("2027-02-01")
    step(page, "Part 1:").focus()
    page.keyboard.press("Space")
    open_home("2027-02-01")
    expect(step(page, "Part 1:")).to_be_checked()
    assert page.locator(".plan progress").evaluate("(bar) => bar.value") == 1
    page.goto(f"{site_address}/part1_motivation.html")
    expect(step(page, "Part 1 is done")).to_be_checked()
    open_home("2027-02-01")
    page.get_by_role("button", name="Forget what is done").click()
    assert not step(page, "Part 1:").is_checked()


def test_a_quiz_marks_itself_once_all_its_answers_are_right(open_home, page, site_address):
    page.goto(f"{site_address}/quiz_part1.html")
    forms = page.locator("form.quiz-question").all()
    for number, form in enumerate(forms):
        if number == len(forms) - 1:
            assert not step(page, "Quiz 1 is done").is_checked()
        key = json.loads(form.get_attribute("data-key"))
        for place in key.get("right", []):
            form.locator("input").nth(place).check()
        if "answer" in key:
            form.get_by_role("textbox").fill(str(key["answer"]).strip("[]"))
        form.get_by_role("button", name="Check").click()
    assert page.locator(".quiz-progress").inner_text().startswith("All ")
    open_home("2027-02-01")
    expect(page.get_by_role("checkbox", name="Quiz 1", exact=True)).to_be_checked()


def test_without_javascript_the_weeks_are_whole_and_nothing_can_be_marked(site, chromium, course):
    window = chromium.new_context(java_script_enabled=False)
    page = window.new_page()
    page.goto((site / "index.html").as_uri())
    links = page.locator(".week a").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    pages = [link for link in links if "#" not in link]  # the others are sections of these
    assert len(pages) == 3 * len(course.parts)  # with its slides and quiz
    assert page.get_by_role("checkbox").count() == 0
    assert not page.locator(".plan").is_visible()
    due = [assignment.due.astimezone(timezone.utc) for assignment in course.assignments]
    shown = page.locator(".week time").all_inner_texts()
    assert [text.split(", ")[1] for text in shown] == [f"{at.day} {at:%B %Y}" for at in due]
    window.close()


def test_badges_lead_to_the_students_repository(course):
    from book import week_map

    facts = course.facts.model_copy(update={"student_repository": "https://github.com/o/c"})
    ours = course.model_copy(update={"facts": facts})
    shown = week_map.step_of(ours, course.assignment("a2"))
    assert 'href="https://colab.research.google.com/github/o/c/blob/main/assignments/a2/' in shown
    assert "Open in Kaggle" in shown
    assert "Open in" not in week_map.step_of(Course.here(), course.assignment("a2"))
