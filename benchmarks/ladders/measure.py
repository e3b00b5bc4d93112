#!/usr/bin/env python3
"""Compile, check and time every kernel of the ladders on the GPU of this machine.

python measure.py --out OUTDIR                 everything; writes OUTDIR/measured.json
python measure.py --out OUTDIR --groups a,b    some groups only
python measure.py --dry                        no GPU, no nvcc: load every task at its SMALL sizes,
                                             evaluate every args list, compare it with the launcher
"""

import argparse
import concurrent.futures as cf
import ctypes
import fcntl
import importlib.util
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import ladders

DIRECTIVE = re.compile(r'^//\s*kernelwright:\s*task=(\S+)\s+entry=(\w+)\s+args="([^"]*)"')
SEED = 20240607


# ---------------------------------------------------------------- files and directives


def all_kernels(folder, groups=None, only=None):
    out = []
    for f in sorted(folder.glob("kernels/*/*.cu")):
        if groups and f.parent.name not in groups:
            continue
        name = f"{f.parent.name}/{f.stem}"
        if only and not any(o in name for o in only):
            continue
        out.append((name, f))
    return out


def directive(path):
    first = path.read_text().split("\n", 1)[0]
    m = DIRECTIVE.match(first)
    if not m:
        raise ValueError(f"{path.name}: no directive in the first line")
    task, entry, args = m.groups()
    return (path.parent / task).resolve(), entry, args


def signature(path, entry):
    """[(type text without the name, name)] of the launcher, the stream left out."""
    m = re.search(r'extern\s+"C"\s+void\s+' + entry + r"\s*\(([^)]*)\)", path.read_text())
    if not m:
        raise ValueError(f"{path.name}: no launcher {entry}")
    params = []
    for p in m.group(1).split(","):
        mm = re.match(r"^(.*?)(\w+)$", p.strip(), re.S)
        params.append((re.sub(r"\s+", " ", mm.group(1)).strip(), mm.group(2)))
    if not params or params[-1][0] != "cudaStream_t":
        raise ValueError(f"{path.name}: the last parameter of {entry} is not a stream")
    return params[:-1]


def load_task(path, small=False):
    spec = importlib.util.spec_from_file_location("task_" + path.stem, path)
    mod = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(mod)
    if small:
        for k, v in mod.SMALL.items():
            if not hasattr(mod, k):
                raise ValueError(f"{path.name}: SMALL names {k}, which the module lacks")
            setattr(mod, k, v)
    return mod


def sizes_of(mod):
    return {k: getattr(mod, k) for k in mod.SMALL}


def forward_names(mod):
    return list(inspect.signature(mod.Model.forward).parameters)[1:]


def make_inputs(mod, torch):
    torch.manual_seed(SEED)
    return list(mod.get_inputs())


CTYPE = {
    "float": "float32",
    "__half": "float16",
    "half": "float16",
    "__nv_bfloat16": "bfloat16",
    "int": "int32",
    "unsigned": "int32",
    "signed char": "int8",
    "int8_t": "int8",
    "unsigned char": "uint8",
    "uint8_t": "uint8",
    "long long": "int64",
    "int64_t": "int64",
    "double": "float64",
}


def bind(mod, args_text, sig, inputs, out, torch):
    """Evaluate the args list and turn it into ctypes values, checked against the launcher."""
    env = dict(zip(forward_names(mod), inputs, strict=False))
    env["out"] = out
    vals = eval("(" + args_text + ",)", {"__builtins__": {}}, env)
    if len(vals) != len(sig):
        raise ValueError(f"args has {len(vals)} values, the launcher takes {len(sig)}")
    res = []
    for v, (typ, name) in zip(vals, sig, strict=False):
        if isinstance(v, torch.Tensor):
            if "*" not in typ:
                raise ValueError(f"tensor given for the scalar {name}")
            base = typ.replace("const", "").replace("*", "").replace("__restrict__", "").strip()
            if "torch." + CTYPE[base] != str(v.dtype):
                raise ValueError(f"{name} is {typ}, the tensor is {v.dtype}")
            if ("const" in typ) == (v is out):
                raise ValueError(f"{name}: const belongs on inputs and only there")
            if not v.is_contiguous():
                raise ValueError(f"{name}: tensor is not contiguous")
            res.append(ctypes.c_void_p(v.data_ptr()))
        else:
            if "*" in typ:
                raise ValueError(f"scalar given for the pointer {name}")
            if typ == "int":
                res.append(ctypes.c_int(int(v)))
            elif typ == "long long":
                res.append(ctypes.c_longlong(int(v)))
            elif typ == "float":
                res.append(ctypes.c_float(float(v)))
            else:
                raise ValueError(f"unknown scalar type {typ}")
    return res


def bytes_ideal(mod, inputs, out):
    expr = getattr(mod, "BYTES_IDEAL", None)
    if expr:
        return int(eval(expr, {"__builtins__": {}}, vars(mod)))
    return sum(t.numel() * t.element_size() for t in inputs) + out.numel() * out.element_size()


# ---------------------------------------------------------------- dry run (CPU)


def dry(folder, groups):
    import torch

    bad = 0
    cache = {}
    for name, f in all_kernels(folder, groups):
        try:
            tpath, entry, args = directive(f)
            if tpath not in cache:
                mod = load_task(tpath, small=True)
                ins = make_inputs(mod, torch)
                with torch.no_grad():
                    out = mod.Model(*mod.get_init_inputs())(*ins)
                    ref = reference(mod, ins, torch, "cpu")
                ok, err = compare(out, ref, mod, torch)
                if not ok:
                    raise ValueError(f"the task's own result misses its tolerance (max error {err})")
                cache[tpath] = (mod, ins, out)
                print(
                    f"task {tpath.stem}: {sizes_of(mod)} -> {tuple(out.shape)} {out.dtype}, "
                    f"native against reference {err:.2e}"
                )
            mod, ins, out = cache[tpath]
            bind(mod, args, signature(f, entry), ins, out, torch)
        except Exception as e:
            bad += 1
            print(f"BAD {name}: {type(e).__name__}: {e}")
    print(f"{len(all_kernels(folder, groups))} kernels, {bad} bad")
    return 1 if bad else 0


# ---------------------------------------------------------------- build


def parse_ptxas(text):
    res, cur = [], None
    for line in text.split("\n"):
        m = re.search(r"Compiling entry function '([^']+)'", line)
        if m:
            mm = re.match(r"_Z(\d+)(.*)", m.group(1))
            name = mm.group(2)[: int(mm.group(1))] if mm else m.group(1)
            cur = {"kernel": name, "regs": None, "smem_static": 0, "spill_bytes": 0}
            res.append(cur)
        if cur is None:
            continue
        m = re.search(r"(\d+) bytes spill stores", line)
        if m:
            cur["spill_bytes"] = int(m.group(1))
        m = re.search(r"Used (\d+) registers", line)
        if m:
            cur["regs"] = int(m.group(1))
            m = re.search(r"(\d+) bytes smem", line)
            cur["smem_static"] = int(m.group(1)) if m else 0
    return res


def build_one(job):
    name, f, so, nvcc, arch = job
    cmd = [
        nvcc,
        "-O3",
        f"-arch={arch}",
        "-shared",
        "-Xcompiler",
        "-fPIC",
        "-Xptxas",
        "-v",
        "-o",
        str(so),
        str(f),
    ]
    try:
        p = subprocess.run(cmd, capture_output=True, text=True, timeout=180)
        text = p.stdout + p.stderr
        if p.returncode:
            return name, None, "nvcc: " + text[-1500:]
        return name, parse_ptxas(text), None
    except Exception as e:
        return name, None, f"nvcc: {type(e).__name__}: {e}"


def find_nvcc():
    for c in (
        os.environ.get("NVCC"),
        shutil.which("nvcc"),
        "/usr/local/cuda/bin/nvcc",
        "/usr/local/bin/nvcc",
    ):
        if c and Path(c).exists():
            return c
    raise SystemExit("no nvcc found (set NVCC)")


# ---------------------------------------------------------------- reference and comparison


def reference(mod, inputs, torch, device):
    dt = getattr(torch, getattr(mod, "REF", "float64"))
    cast = [t.to(dt) if t.is_floating_point() else t for t in inputs]
    model = mod.Model(*mod.get_init_inputs()).to(device)
    with torch.no_grad():
        return model(*cast)


def compare(out, ref, mod, torch):
    if out.shape != ref.shape:
        return False, float("nan")
    a, b = out.double(), ref.double()
    diff = (a - b).abs()
    tol = getattr(mod, "ATOL", 1e-4) + getattr(mod, "RTOL", 1e-4) * b.abs()
    share_bad = float((~(diff <= tol)).double().mean())
    return share_bad <= getattr(mod, "BAD_SHARE", 0.0), float(diff.max())


# ---------------------------------------------------------------- worker: one group on the GPU


def quantile(s, q):
    i = q * (len(s) - 1)
    lo = int(i)
    hi = min(lo + 1, len(s) - 1)
    return s[lo] + (s[hi] - s[lo]) * (i - lo)


def timed(fn, torch, flush, opt):
    t0 = time.time()
    n = 0
    cpu = []
    while n < 10 and (n < 3 or time.time() - t0 < 2.0):
        torch.cuda.synchronize()
        c0 = time.perf_counter()
        fn()
        cpu.append(time.perf_counter() - c0)
        n += 1
    torch.cuda.synchronize()
    cpu_us = sorted(cpu)[len(cpu) // 2] * 1e6
    sleep = int(min(2000.0, 30.0 + 2.0 * cpu_us) * 1800)  # the queue fills while the GPU spins
    got = []
    t0 = time.time()
    while True:
        ev = []
        for _ in range(10):
            flush.fill_(float(len(got)))
            if hasattr(torch.cuda, "_sleep"):
                torch.cuda._sleep(sleep)
            a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            a.record()
            fn()
            b.record()
            ev.append((a, b))
        torch.cuda.synchronize()
        got += [a.elapsed_time(b) * 1e3 for a, b in ev]
        el = time.time() - t0
        if (len(got) >= opt.samples and (el >= opt.time or len(got) >= 6 * opt.samples)) or (
            el >= 4.0 and len(got) >= 10
        ):
            break
    s = sorted(got)
    return {
        "median_us": quantile(s, 0.5),
        "p20_us": quantile(s, 0.2),
        "p80_us": quantile(s, 0.8),
        "min_us": s[0],
        "samples": len(s),
        "cpu_call_us": cpu_us,
    }


def worker(opt):
    log = Path(opt.result).open("a", buffering=1)  # noqa: SIM115

    def say(**kw):
        log.write(json.dumps(kw) + "\n")
        log.flush()

    import torch

    torch.set_num_threads(8)
    names = opt.list.split(",")
    files = {n: opt.folder / "kernels" / (n + ".cu") for n in names}
    tpath, _, _ = directive(files[names[0]])
    mod = load_task(tpath)
    host = make_inputs(mod, torch)
    lock = Path(opt.lock).open("w")  # noqa: SIM115
    fcntl.flock(lock, fcntl.LOCK_EX)  # one group on the GPU at a time; freed when this process ends
    say(locked=True)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.cuda.init()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        inputs = [t.cuda() for t in host]
        keep = [t.clone() for t in inputs]
        flush = torch.empty(64 << 20, dtype=torch.float32, device="cuda")
        model = mod.Model(*mod.get_init_inputs()).cuda()
        out = model(*inputs).contiguous()
        ref = reference(mod, inputs, torch, "cuda")
        own_ok, own_err = compare(out, ref, mod, torch)
        torch.cuda.synchronize()
        eager = None
        try:
            eager = timed(lambda: model(*inputs), torch, flush, opt)
        except Exception as e:
            say(note=f"eager: {type(e).__name__}: {e}")
        ideal = bytes_ideal(mod, inputs, out)
        say(
            group=names[0].split("/")[0],
            eager_us=eager and eager["median_us"],
            eager_err=own_err,
            eager_ok=own_ok,
        )
        raw = out.view(torch.uint8) if out.dim() else out
        for name in names:
            say(start=name)
            r = {
                "name": name,
                "ok": False,
                "max_err": None,
                "bytes_ideal": ideal,
                "sizes": sizes_of(mod),
                "eager_us": eager and eager["median_us"],
            }
            try:
                _, entry, args = directive(files[name])
                fn = getattr(ctypes.CDLL(str(Path(opt.build) / (name.replace("/", "__") + ".so"))), entry)
                fn.restype = None
                vals = bind(mod, args, signature(files[name], entry), inputs, out, torch)
                vals.append(ctypes.c_void_p(stream.cuda_stream))

                def call():
                    fn(*vals)  # noqa: B023

                def check():
                    if out.is_floating_point():
                        out.fill_(float("nan"))
                    else:
                        raw.fill_(0x5A)
                    call()
                    torch.cuda.synchronize()
                    return compare(out, ref, mod, torch)

                ok, err = check()
                r["max_err"] = err if err == err else None
                if not ok:
                    r["error"] = "wrong result" if err == err else "wrong result (unwritten or NaN values)"
                r.update(timed(call, torch, flush, opt))
                ok2, _err2 = check()
                if ok and not ok2:
                    r["error"] = "wrong result when called again"
                if not all(torch.equal(a, b) for a, b in zip(inputs, keep, strict=False)):
                    ok2 = False
                    r["error"] = "an input was changed"
                    for a, b in zip(inputs, keep, strict=False):
                        a.copy_(b)
                r["ok"] = ok and ok2
            except Exception as e:
                r["error"] = f"{type(e).__name__}: {e}"[:600]
                say(done=r)
                if "CUDA" in str(e) or "cuda" in str(e):
                    os._exit(3)  # a sticky error: the parent starts a new process for the rest
                continue
            say(done=r)
    log.close()
    os._exit(0)


# ---------------------------------------------------------------- parent


def smi():
    try:
        q = "name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu"
        return subprocess.run(
            ["nvidia-smi", f"--query-gpu={q}", "--format=csv,noheader"],
            capture_output=True,
            text=True,
            timeout=20,
        ).stdout.strip()
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out")
    ap.add_argument("--folder", type=Path, help="kernels and tasks; without it those of ladders/h200.tar.xz")
    ap.add_argument("--groups", default="")
    ap.add_argument("--kernels", default="", help="substrings of GROUP/NN_variant")
    ap.add_argument("--arch", default="sm_90")
    ap.add_argument("--samples", type=int, default=50)
    ap.add_argument("--time", type=float, default=0.5)
    ap.add_argument("--jobs", type=int, default=min(16, os.cpu_count() or 4))
    ap.add_argument(
        "--ahead", type=int, default=3, help="processes that load and build inputs ahead of their turn"
    )
    ap.add_argument("--budget", type=float, default=450.0, help="stop starting groups after so many seconds")
    ap.add_argument("--dry", action="store_true")
    ap.add_argument("--build-only", action="store_true")
    ap.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    for h in ("list", "build", "result", "lock"):
        ap.add_argument("--" + h, help=argparse.SUPPRESS)
    opt = ap.parse_args()
    opt.folder = (opt.folder or ladders.unpacked()).resolve()
    if opt.worker:
        return worker(opt)
    groups = [g for g in opt.groups.split(",") if g] or None
    only = [g for g in opt.kernels.split(",") if g] or None
    if opt.dry:
        return dry(opt.folder, groups)
    if not opt.out:
        ap.error("--out is needed")
    t_start = time.time()
    outdir = Path(opt.out)
    outdir.mkdir(parents=True, exist_ok=True)
    tmp = Path(tempfile.mkdtemp(prefix="kwbench"))
    build = tmp / "so"
    build.mkdir()
    kernels = all_kernels(opt.folder, groups, only)
    nvcc = find_nvcc()
    results = {n: {"name": n, "ok": False, "error": "not run"} for n, _ in kernels}
    resources = {}
    jobs = [(n, f, build / (n.replace("/", "__") + ".so"), nvcc, opt.arch) for n, f in kernels]
    with cf.ThreadPoolExecutor(opt.jobs) as ex:
        for name, res, err in ex.map(build_one, jobs):
            if err:
                results[name]["error"] = err
                print("BUILD FAILED", name, err[-300:], flush=True)
            else:
                resources[name] = res
    t_built = time.time()
    print(f"built {len(resources)} of {len(kernels)} in {t_built - t_start:.0f} s", flush=True)
    info = {
        "gpu": smi(),
        "nvcc": subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout.split("\n")[-3:],
        "flush": "256 MiB written before each sample",
        "samples": opt.samples,
        "seed": SEED,
    }
    eager = {}

    def save():
        rows = []
        for n, _ in kernels:
            r = dict(results[n])
            r["group"], r["variant"] = n.split("/")
            res = resources.get(n)
            if res:
                r["kernels"] = res
                r["regs"] = max((k["regs"] or 0) for k in res)
                r["smem_static"] = max(k["smem_static"] for k in res)
            rows.append(r)
        info["seconds"] = round(time.time() - t_start, 1)
        info["gpu_after"] = info.get("gpu_after")
        p = outdir / "measured.json.part"
        p.write_text(json.dumps({"info": info, "eager": eager, "kernels": rows}, indent=1))
        p.replace(outdir / "measured.json")

    save()
    if opt.build_only:
        shutil.rmtree(tmp, ignore_errors=True)
        return 0
    queue = []
    for g in sorted({n.split("/")[0] for n in resources}):
        queue.append([n for n in results if n.split("/")[0] == g and n in resources])
    lock = tmp / "gpu.lock"
    live = []
    serial = 0
    while queue or live:
        while queue and len(live) < opt.ahead and time.time() - t_start < opt.budget:
            names = queue.pop(0)
            res = tmp / f"r{serial}.jsonl"
            res.touch()
            serial += 1
            cmd = [
                sys.executable,
                str(Path(__file__).resolve()),
                "--worker",
                "--folder",
                str(opt.folder),
                "--list",
                ",".join(names),
                "--build",
                str(build),
                "--result",
                str(res),
                "--lock",
                str(lock),
                "--samples",
                str(opt.samples),
                "--time",
                str(opt.time),
            ]
            p = subprocess.Popen(
                cmd,
                stdout=subprocess.DEVNULL,
                stderr=Path(f"{res}.err").open("w"),  # noqa: SIM115
            )
            live.append(
                {
                    "p": p,
                    "names": names,
                    "res": res,
                    "seen": 0,
                    "cur": None,
                    "left": list(names),
                    "t": time.time(),
                    "locked": False,
                }
            )
        if queue and not live:
            for names in queue:
                for n in names:
                    results[n]["error"] = "time budget spent"
            break
        time.sleep(0.1)
        for w in list(live):
            text = w["res"].read_text()
            lines = text.split("\n")[:-1]
            for line in lines[w["seen"] :]:
                w["t"] = time.time()
                m = json.loads(line)
                if m.get("locked"):
                    w["locked"] = True
                if "group" in m:
                    eager[m["group"]] = {k: m[k] for k in ("eager_us", "eager_err", "eager_ok")}
                    if not m["eager_ok"]:
                        print(
                            f"NOTE {m['group']}: eager result misses the tolerance ({m['eager_err']})",
                            flush=True,
                        )
                if "note" in m:
                    print("NOTE", m["note"], flush=True)
                if "start" in m:
                    w["cur"] = m["start"]
                if "done" in m:
                    r = m["done"]
                    results[r["name"]] = r
                    w["left"].remove(r["name"])
                    w["cur"] = None
                    us = r.get("median_us")
                    print(
                        f"{r['name']:50s} {'ok  ' if r['ok'] else 'FAIL'} "
                        f"{us if us is None else round(us, 1)} us  err {r['max_err']} {r.get('error', '')}",
                        flush=True,
                    )
            w["seen"] = len(lines)
            rc = w["p"].poll()
            idle = time.time() - w["t"]
            if rc is None and idle > (90 if w["locked"] else 600):
                w["p"].kill()
                w["p"].wait()
                rc = -9
            if rc is None:
                continue
            if len(w["res"].read_text().split("\n")) - 1 > w["seen"]:
                continue  # last lines not read yet
            live.remove(w)
            if w["left"]:
                err = Path(str(w["res"]) + ".err").read_text()[-500:]
                if w["cur"]:
                    results[w["cur"]] = {
                        "name": w["cur"],
                        "ok": False,
                        "error": f"process ended ({rc}) {err}",
                    }
                    w["left"].remove(w["cur"])
                    print("CRASH", w["cur"], rc, err[-200:], flush=True)
                elif len(w["left"]) == len(w["names"]):  # ended before its first kernel
                    for n in w["left"]:
                        results[n]["error"] = f"group did not start ({rc}) {err}"
                    print("GROUP FAILED", w["names"][0].split("/")[0], rc, err[-400:], flush=True)
                    w["left"] = []
                if w["left"]:
                    queue.insert(0, w["left"])
            save()
    info["gpu_after"] = smi()
    save()
    shutil.rmtree(tmp, ignore_errors=True)
    ok = sum(bool(r.get("ok")) for r in results.values())
    print(f"{ok} of {len(results)} ok, {time.time() - t_start:.0f} s, {outdir / 'measured.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
