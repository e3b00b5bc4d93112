"""The symbols of a linked object, read without running a tool on an untrusted file (checks A1 and A11 of docs/development/checks.md)."""

import struct
from dataclasses import dataclass

_DYNSYM, _DYNAMIC, _RELA, _SYMTAB = 11, 6, 4, 2
_NEEDED, _INIT = 1, 12
_WEAK = 2
_RELATIVE = {62: 8, 183: 1027}  # machine -> type of a relative relocation
_INDIRECT = {62: 37, 183: 1032}  # and of one whose value a function of the object computes when it is loaded
_STACK, _LOAD, _IFUNC = 0x6474E551, 1, 10
_CODE_SECTIONS = (".text", ".plt", ".init", ".fini")
_LARGEST_INIT = 64  # bytes; the toolchain's own part is about 27


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
    oddities: tuple[str, ...]  # what no compiler puts into an object unasked


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
    oddities = _segments(data)
    for header in headers:
        name, kind, flags, address, start, length, link, _, _, entry = header
        section_name = text(headers[names_at], name)
        if flags & 4 and not section_name.startswith(_CODE_SECTIONS):
            oddities.append(f"code in a section '{section_name}'")
        if section_name in (".init", ".fini") and length > _LARGEST_INIT:
            oddities.append(f"code of its own in {section_name}, which runs when the object is loaded")
        if flags & 4 and flags & 1:
            oddities.append(f"writable code in {section_name}")
        if section_name in (".init_array", ".preinit_array", ".ctors"):
            arrays.append((address, length))
        if kind in (_DYNSYM, _SYMTAB) and entry:
            for at in range(start, start + length, entry):
                symbol, info, _, section, value, _ = struct.unpack_from("<IBBHQQ", data, at)
                spelled = text(headers[link], symbol)
                if not spelled:
                    continue
                if info & 15 == _IFUNC and section:
                    oddities.append(
                        f"'{spelled}' is chosen by a function that runs when the object is loaded (IFUNC)"
                    )
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
                elif info & 0xFFFFFFFF == _INDIRECT.get(machine):
                    oddities.append("a relocation that a function of the object computes (IFUNC)")
    initialisers = []
    for address, length in arrays:
        for place in range(address, address + length, 8):
            target = relative.get(place)
            initialisers.append(by_address.get(target, hex(target)) if target is not None else hex(place))
    return ElfSymbols(
        tuple(sorted(set(undefined))), tuple(sorted(set(needed))), tuple(sorted(set(exported))), tuple(libraries), tuple(initialisers),
        tuple(sorted(set(functions))), tuple(dict.fromkeys(oddities)),
    )  # fmt: skip


def _segments(data: bytes) -> list[str]:
    start = struct.unpack_from("<Q", data, 32)[0]
    size, count = struct.unpack_from("<HH", data, 54)
    odd = []
    for at in range(start, start + size * count, size):
        kind, flags = struct.unpack_from("<II", data, at)
        if kind == _STACK and flags & 1:
            odd.append("an executable stack")
        if kind == _LOAD and flags & 3 == 3:
            odd.append("memory that is both writable and executable")
    return odd


# What the toolchain itself puts among the initialisers: frame registration and the sanitizer's set-up.
TOOLCHAIN_INITIALISERS = ("frame_dummy", "_init", "_sub_I_00099_0", "register_tm_clones")


def foreign_initialisers(symbols: ElfSymbols) -> tuple[str, ...]:
    """Initialisers that come from the candidate's own text."""
    return tuple(name for name in symbols.initialisers if not name.startswith(TOOLCHAIN_INITIALISERS))
