"""A made-up project, small enough to know by heart: one language of invented words, some of its forms still lacking."""

from __future__ import annotations

from pathlib import Path

TABLES = {
    "predicates/stereotypes.csv": """\
stereotype_id,type,origin,gloss,gloss_singular,identities,since,until,kind,reason
aa001,predicate,early,are brel,brel,mirn,,,,
aa002,predicate,early,have a dronk,has a dronk,mirn;solv,,,,
aa003,clause,early,nothing grulls,nothing grulls,solv,,,,
aa004,predicate,early,are untold,untold,mirn,,,,
""",
    "predicates/toy/forms.csv": """\
stereotype_id,form,text,identity,copy_number,since,until,kind,reason
aa001,plural,ban brel,,,,,,
aa001,inverted,brel ban,,,,,,
aa001,single,brel,,,,,,
""",
    "predicates/toy/absent.csv": """\
stereotype_id,since,until,kind,reason
aa002,,,translation,no reviewed form yet
aa003,2.0.0,,translation,no reviewed form yet
aa003,,2.0.0,,nobody had thought of it
aa004,,,,speakers decided against it
""",
    "predicates/toy/coverage.csv": "stereotype_id,identity,templates,copies,since,until,kind,reason\n",
    "predicates/toy/metadata_exceptions.csv": "stereotype_id,form,text,column,value,since,until,kind,reason\n",
    "templates/toy/templates.csv": """\
template_id,template,subject,types,form,identity_form,sentence,since,until,kind,reason
1,1,group,predicate,plural,people,All {identity} {predicate}.,,,,
2,2,group,predicate;clause,inverted,people,Nuv rass {identity} vi {predicate}.,,,,
3,3,person,predicate;clause,single,trait,{subject} ba {identity} na {predicate}.,,,,
""",
    "templates/toy/variants.csv": (
        "template_id,side,stereotype_id,identity,counter_identity,subject,origin,identity_form,sentence,"
        "since,until,kind,reason\n"
    ),
    "templates/toy/identities.csv": """\
identity_id,label,metadata_label,counter_identities,name_genders,since,until,kind,reason
mirn,Mirn,Mirn,plain,female;male;neutral,,,,
solv,Solv,Solv,plain,female;neutral,,,,
""",
    "templates/toy/counter_identities.csv": """\
counter_identity_id,label,since,until,kind,reason
plain,Plain,,,,
""",
    "templates/toy/identity_forms.csv": """\
identity,form,text,sentence_initial,origin,against,since,until,kind,reason
mirn,people,mirn folk,,,,,,,
mirn,trait,mirn,,,,,,,
solv,people,solvu,,,,,,,
solv,trait,solv,,,,,,,
plain,people,plainu,,,,,,,
plain,trait,plain,,,,,,,
""",
    "templates/toy/names.csv": """\
name_id,type,gender,origin,slot_subject,slot_pronoun,since,until,kind,reason
emba,name,female,,Emba,el,,,,
ilsa,name,female,,Ilsa,el,,,,
orlo,name,male,,Orlo,ol,,,,
ul,pronoun,neutral,,Ul,ul,,,,
""",
    "templates/toy/carriers.csv": """\
form,types,gloss,source,target
plural,predicate,gloss,These people {predicate}.,Nuv ole {predicate}.
plural,predicate,gloss,Those people {predicate}.,Zuv ole {predicate}.
inverted,predicate,gloss,We hate them because they {predicate}.,Wi rass ze vi {predicate}.
inverted,clause,gloss,We hate them because {predicate}.,Wi rass ze vi {predicate}.
single,predicate;clause,gloss_singular,Emma is tall and {predicate}.,Emma ba lon na {predicate}.
""",
    "templates/toy/language.yaml": """\
name: Toy
direction: ltr
published_columns: {first: sent_x, second: sent_y}
metadata_columns: {number: template, text: text}
metadata_gloss_origins: [early]
""",
    "release/editions.csv": "edition,languages,summary\n1.0.0,toy,first\n2.0.0,toy,second\n",
    "config.yaml": "languages:\n  toy:\n    editions: ['2.0.0']\n",
}

#: What the made-up translation engines answer, sentence by sentence.
DICTIONARY = {
    "These people have a dronk.": "Nuv ole han dronk.",
    "We hate them because they have a dronk.": "Wi rass ze vi dronk han.",
    "Emma is tall and has a dronk.": "Emma ba lon na ha dronk.",
    "We hate them because nothing grulls.": "Wi rass ze vi nulo grull.",
    "Emma is tall and nothing grulls.": "Emma ba lon na nulo grulla.",
}


def write(root: Path) -> Path:
    """Write the project into a folder."""
    for path, text in TABLES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the project with its bytes."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
