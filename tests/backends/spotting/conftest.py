import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-expectations",
        action="store_true",
        help="write the expected indexes of tests/backends/spotting",
    )
