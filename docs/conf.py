"""Settings of the site: `sphinx-build -W -b html docs build`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from _generate import write_reference  # noqa: E402

from pointree.version import __version__  # noqa: E402

project = "pointree"
author = "The pointree authors"
project_copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["attrs_block"]
myst_heading_anchors = 4
smartquotes = False  # they would turn --option into a dash
default_role = "code"  # docstrings have code in single backticks
napoleon_numpy_docstring = False
napoleon_use_ivar = True
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"pointree {__version__}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}


def setup(app: Any) -> None:
    """Write the generated pages before Sphinx looks for pages."""
    app.connect("builder-inited", lambda _app: write_reference(HERE / "reference" / "generated"))
