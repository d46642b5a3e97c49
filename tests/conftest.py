import os

from hypothesis import settings

settings.register_profile("segscore", deadline=None, max_examples=80)
settings.load_profile("segscore")

# Clusters need Java and time: `make test-cluster` asks for them.
collect_ignore = [] if os.environ.get("SEGSCORE_CLUSTER") else ["cluster"]
