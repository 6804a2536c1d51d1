"""croissant.json of a release: files, record sets and the responsible-AI fields (Croissant 1.0 with RAI 1.0).

The Hub makes a Croissant file of its own from the data; what it cannot know is how the data came about.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from winoqueer_nl.files import sha256
from winoqueer_nl.release.columns import SUBSET_TEXTS, meaning
from winoqueer_nl.release.description import Description
from winoqueer_nl.release.layout import METADATA, SENTENCE_PAIRS, parquet_of

#: The responsible-AI properties of the vocabulary, and the field of the description that fills each.
RAI = {
    "rai:dataCollection": "data_collection",
    "rai:dataCollectionType": "data_collection_type",
    "rai:dataCollectionTimeframe": "data_collection_timeframe",
    "rai:dataAnnotationProtocol": "annotation_protocol",
    "rai:annotatorDemographics": "annotator_demographics",
    "rai:dataLimitations": "data_limitations",
    "rai:dataBiases": "data_biases",
    "rai:dataSocialImpact": "data_social_impact",
    "rai:dataUseCases": "data_use_cases",
    "rai:personalSensitiveInformation": "personal_sensitive_information",
    "rai:dataReleaseMaintenancePlan": "release_maintenance_plan",
}
#: Those without which a release is not complete.
REQUIRED_RAI = tuple(key for key in RAI if key != "rai:dataCollectionTimeframe")

_TYPES = {"string": "sc:Text", "double": "sc:Float", "bool": "sc:Boolean"}

_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def _file(folder: Path, path: str, encoding: str, text: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "description": text,
        "contentUrl": path,
        "contentSize": f"{(folder / path).stat().st_size} B",
        "encodingFormat": encoding,
        "sha256": sha256(folder / path),
    }


def _record_set(name: str, table: pa.Table) -> dict[str, Any]:
    def field(column: pa.Field) -> dict[str, Any]:
        return {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": column.name,
            "description": meaning(column.name),
            "dataType": _TYPES.get(str(column.type), "sc:Integer"),
            "source": {"fileObject": {"@id": parquet_of(name)}, "extract": {"column": column.name}},
        }

    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": SUBSET_TEXTS[name],
        "field": [field(column) for column in table.schema],
    }


def content(d: Description, lang: str, version: str, tables: dict[str, pa.Table], folder: Path) -> dict[str, Any]:
    """The content of croissant.json; the files that it names must stand in ``folder``."""
    rai = {key: getattr(d.responsible_ai, name) for key, name in RAI.items()}
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": d.slug,
        "alternateName": d.pretty_name,
        "description": f"{d.summary} Content warning: {d.content_warning}",
        "version": version,
        "license": d.license_url,
        "url": d.homepage,
        "inLanguage": lang,
        "keywords": d.tags,
        "creator": [{"@type": "sc:Person", "name": person.name} for person in d.authors],
        "citeAs": f"{', '.join(person.name for person in d.authors)}: {d.pretty_name}, version {version}.",
        **{key: value for key, value in rai.items() if value is not None},
        "distribution": [
            *(_file(folder, parquet_of(name), "application/x-parquet", SUBSET_TEXTS[name]) for name in tables),
            _file(folder, SENTENCE_PAIRS, "text/csv", "the pairs in the published columns"),
            _file(folder, METADATA, "text/csv", "the stereotypes in the published layout"),
        ],
        "recordSet": [_record_set(name, table) for name, table in tables.items()],
    }
