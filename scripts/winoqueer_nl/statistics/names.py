"""The names of the tables: light enough for the workflow to read them without loading pandas or scipy."""

#: Tables for programs: CSV only.
DATA_ONLY = ("metrics", "stereotypes")
#: One table per way of grouping: name -> column of the pairs.
BY_GROUP = {
    "by_template": "template",
    "by_name_gender": "name_gender",
    "by_counter_identity": "counter_identity",
}
#: The paper's tables, one for each of its subsets; a test holds them against subsets.SUBSETS.
PAPER = ("bias_all", "bias_tier_1_2", "bias_tier_1", "bias_new")
NAMES = (
    *DATA_ONLY,
    "models",
    *PAPER,
    "identity_tests",
    *BY_GROUP,
    "comparison",
    "harmfulness",
    "languages",
    "editions",
)
