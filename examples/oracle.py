"""Show what the choice of settings is worth for detectors that know nothing.

    python examples/oracle.py

Each "setting" is a random segmentation with as many cuts as the truth. The score of a single setting is chance; the
table shows what the rules of `segscore.study.select` make of 2 to 100 settings.
"""

import polars as pl

import segscore as ss
from segscore import study

N, CUTS, MARGIN = 1000, 5, 5


def runs(series, settings, seed):
    """Return the runs of one method with random settings on random truths."""
    like = ss.Segmentation(range(100, 100 * (CUTS + 1), 100), n=N)
    truths = ss.simulate.segmentations(series, like, rng=seed)
    preds = ss.simulate.segmentations(series * settings, like, rng=seed + 1)
    cells = [(k, setting) for k in range(series) for setting in range(settings)]
    return pl.DataFrame(
        {
            "series": [f"s{k}" for k, _ in cells],
            "method": ["random"] * len(cells),
            "params": [f'{{"setting":{setting}}}' for _, setting in cells],
            "n": [N] * len(cells),
            "truth": [truths[k].cuts for k, _ in cells],
            "pred": [pred.cuts for pred in preds],
        }
    )


def simulated(series=75, settings=100, seed=0):
    """Return the mean F1 of one setting, and of settings that are chosen by three rules."""
    scored = ss.score(runs(series, settings, seed), metrics=["f1"], margin=MARGIN)
    name = f"f1(margin={MARGIN})"
    found = {"chance": scored[name].mean()}
    return found | {rule: study.select(scored, name, rule)[name].mean() for rule in ("oracle", "best", "cv")}


def main():
    """Print the table."""
    print("settings  chance  oracle  best for all  5-fold")
    for settings in (2, 10, 100):
        found = simulated(settings=settings)
        print("{:8}  {chance:.3f}   {oracle:.3f}   {best:.3f}         {cv:.3f}".format(settings, **found))


if __name__ == "__main__":
    main()
