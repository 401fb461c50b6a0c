"""nbgrader on the hub: the exchange through which assignments, submissions and feedback go, and who is who."""
import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821, defined by nbgrader

ROOT = Path(__file__).resolve().parents[2]
USER = os.environ.get("JUPYTERHUB_USER", "teacher")
if USER == "teacher":
    sys.path.insert(0, str(ROOT / "environment"))
    from classroom.gradebook import configuration
    c.merge(configuration(ROOT / "build" / "classroom"))
    if "NBGRADER_EXCHANGE" not in os.environ:  # the hub on one machine
        sys.path.insert(0, str(ROOT / "environment" / "hub"))
        c.ExchangeFactory.collect = "exchange.Collect"
        c.ExchangeFactory.release_feedback = "exchange.ReleaseFeedback"
else:
    c.CourseDirectory.course_id = "rootdk"
    c.CourseDirectory.student_id = USER  # not the user of the operating system, who is the same for all
c.Exchange.root = os.environ.get("NBGRADER_EXCHANGE", str(ROOT / "build" / "hub" / "exchange"))
c.ExchangeCollect.check_owner = False
