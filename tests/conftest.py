from hypothesis import settings

settings.register_profile("segscore", deadline=None, max_examples=80)
settings.load_profile("segscore")
