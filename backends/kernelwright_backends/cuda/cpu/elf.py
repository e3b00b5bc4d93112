"""The symbols of a linked object, read without running any tool on what nobody trusts (verifier.md A1, A11)."""

import struct
from dataclasses import dataclass

_DYNSYM, _DYNAMIC, _RELA, _SYMTAB = 11, 6, 4, 2
_NEEDED, _INIT = 1, 12
_WEAK = 2
_RELATIVE = {62: 8, 183: 1027}  # machine -> type of a relative relocation


class ElfError(ValueError):
    """The object is not one that we can read."""


@dataclass(frozen=True)
class ElfSymbols:
    undefined: tuple[str, ...]
    needed: tuple[str, ...]  # undefined and not weak
    exported: tuple[str, ...]
    libraries: tuple[str, ...]
    initialisers: tuple[str, ...]  # names of what runs at load; an address where there is no name
    functions: tuple[str, ...]


def read_symbols(data: bytes) -> ElfSymbols:
    """Of a 64-bit little-endian shared object.

    Raises:
        ElfError: it is none, or is cut short.
    """
    try:
        return _read(data)
    except (struct.error, IndexError) as error:
        raise ElfError(f"a damaged object: {error}") from None


def _read(data: bytes) -> ElfSymbols:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ElfError("no 64-bit little-endian ELF object")
    machine = struct.unpack_from("<H", data, 18)[0]
    offset = struct.unpack_from("<Q", data, 40)[0]
    size, count, names_at = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]

    def text(table: tuple[int, ...], at: int) -> str:
        start = table[4] + at
        return data[start : data.index(b"\0", start)].decode("utf-8", "replace")

    undefined, needed, exported, libraries, functions = [], [], [], [], []
    by_address: dict[int, str] = {}
    relative: dict[int, int] = {}
    arrays: list[tuple[int, int]] = []
    for header in headers:
        name, kind, _, address, start, length, link, _, _, entry = header
        section_name = text(headers[names_at], name)
        if section_name in (".init_array", ".preinit_array", ".ctors"):
            arrays.append((address, length))
        if kind in (_DYNSYM, _SYMTAB) and entry:
            for at in range(start, start + length, entry):
                symbol, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at)
                spelled = text(headers[link], symbol)
                if not spelled:
                    continue
                if kind == _SYMTAB:
                    if info & 15 == 2:
                        by_address.setdefault(value, spelled)
                        if section:
                            functions.append(spelled)
                elif section == 0:
                    undefined.append(spelled)
                    if info >> 4 != _WEAK:
                        needed.append(spelled)
                elif info >> 4 in (1, 2, 10):
                    exported.append(spelled)
        elif kind == _DYNAMIC:
            for at in range(start, start + length, 16):
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == _NEEDED:
                    libraries.append(text(headers[link], value))
        elif kind == _RELA:
            for at in range(start, start + length, 24):
                place, info, addend = struct.unpack_from("<QQq", data, at)
                if info & 0xFFFFFFFF == _RELATIVE.get(machine):
                    relative[place] = addend
    initialisers = []
    for address, length in arrays:
        for place in range(address, address + length, 8):
            target = relative.get(place)
            initialisers.append(by_address.get(target, hex(target)) if target is not None else hex(place))
    return ElfSymbols(
        tuple(sorted(set(undefined))), tuple(sorted(set(needed))), tuple(sorted(set(exported))), tuple(libraries), tuple(initialisers),
        tuple(sorted(set(functions))),
    )  # fmt: skip


# What the toolchain itself puts among the initialisers: frame registration and the sanitizer's set-up.
TOOLCHAIN_INITIALISERS = ("frame_dummy", "_init", "_sub_I_00099_0", "register_tm_clones")


def foreign_initialisers(symbols: ElfSymbols) -> tuple[str, ...]:
    """Initialisers that come from the candidate's own text."""
    return tuple(name for name in symbols.initialisers if not name.startswith(TOOLCHAIN_INITIALISERS))
