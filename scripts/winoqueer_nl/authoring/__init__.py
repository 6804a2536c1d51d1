"""Authoring without a programmer: translation proposals, review by native speakers, new rows, new languages."""
