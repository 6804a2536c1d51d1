"""Stage "survey": from raw exports to relevance tiers and harmfulness; respondents' answers stay in this stage."""
