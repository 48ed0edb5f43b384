"""Draws posts and comments of the last year, by month, from the analysts' views.

    pip install pandas "psycopg[binary]" sqlalchemy matplotlib
    python docs/example.py postgresql+psycopg://jane@db.example.com/content year.png
"""

import sys

import pandas as pd
import sqlalchemy

url, image = sys.argv[1:3]
engine = sqlalchemy.create_engine(url)

# The condition is on the month itself, so that only these months are read.
year = pd.read_sql(
    """
    select month, posts_published, comments
      from analytics.totals_by_month
     where month >= (select month from today) - interval '11 months'
     order by month
    """,
    engine,
    index_col="month",
    parse_dates=["month"],
)
print(year)
year.plot(kind="bar", subplots=True, figsize=(8, 6), legend=False)[0].figure.savefig(image)
