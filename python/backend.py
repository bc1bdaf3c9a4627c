# SPDX-License-Identifier: Apache-2.0
"""backend: the wheel, as PEP 517 asks for it: make builds the package, this packs it.

Nothing is listed: what lies in build/python/tern is what is installed. The same tree gives the same
bytes: files in order, no times.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build")


def _project():
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    with open(os.path.join(ROOT, "include/tern.h"), encoding="utf-8") as file:
        project["version"] = re.search(r'TERN_VERSION "(.*)"', file.read())[1]
    return project


def _metadata(project):
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
            f"Summary: {project['description']}\nLicense: {project['license']['text']}\n"
            f"Requires-Python: {project['requires-python']}\n"
            f"Description-Content-Type: text/markdown\n\n{readme}")


def _tag(settings):
    # abi3: one extension for this version of Python and all later ones.
    platform = (settings or {}).get("platform", sysconfig.get_platform())
    return "cp311-abi3-" + re.sub("[-.]", "_", platform)


def _check_glibc(tag, files):
    """A tag manylinux_2_28 promises that no symbol is of a later glibc."""
    promised = re.search(r"manylinux_2_(\d+)", tag)
    for path, content, is_binary in files:
        found = re.findall(rb"\0GLIBC_2\.(\d+)", content) if is_binary else []
        newest = max(map(int, found), default=0)
        if promised and newest > int(promised[1]):
            raise SystemExit(f"{path} needs glibc 2.{newest}, {tag} promises 2.{promised[1]}")


def _make():
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    if not os.path.exists(header):
        raise SystemExit(f"{header} is missing: apt-get install python3-dev")
    command = ["make", "-C", ROOT, f"-j{os.cpu_count()}", f"B={BUILD}", f"PYTHON={sys.executable}",
               "python"]
    subprocess.run(command, check=True, stdout=sys.stderr)


def _files():
    package = os.path.join(BUILD, "python")
    for folder, folders, names in os.walk(os.path.join(package, "tern")):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            path = os.path.join(folder, name)
            yield os.path.relpath(path, package), _content(path), _is_binary(path)


def _is_binary(path):
    return os.access(path, os.X_OK) and not path.endswith(".py")


def _content(path):
    if _is_binary(path):
        stripped = path + ".stripped"
        subprocess.run(["strip", "--strip-unneeded", "-o", stripped, path], check=True)
        try:
            with open(stripped, "rb") as file:
                return file.read()
        finally:
            os.remove(stripped)
    with open(path, "rb") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    _make()
    name = f"{project['name']}-{project['version']}"
    info = f"{name}.dist-info"
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        license_text = file.read()
    tag = _tag(config_settings)
    wheel = f"Wheel-Version: 1.0\nGenerator: tern\nRoot-Is-Purelib: false\nTag: {tag}\n"
    scripts = "".join(f"{name} = {place}\n" for name, place in project["scripts"].items())
    texts = {"LICENSE": license_text, "METADATA": _metadata(project).encode(), "WHEEL": wheel.encode(),
             "entry_points.txt": f"[console_scripts]\n{scripts}".encode()}
    files = [*_files(), *((f"{info}/{name}", text, False) for name, text in texts.items())]
    _check_glibc(tag, files)
    record = ""
    for path, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files.append((f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), False))
    file_name = f"{name}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, file_name), "w", zipfile.ZIP_DEFLATED,
                         compresslevel=9) as archive:
        for path, content, is_binary in files:
            entry = zipfile.ZipInfo(path)  # 1980: no time
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_binary else 0o100644) << 16
            archive.writestr(entry, content)
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    import tarfile
    project = _project()
    name = f"{project['name']}-{project['version']}"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, capture_output=True, text=True)
    with tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz") as archive:
        for path in listed.stdout.splitlines():
            archive.add(os.path.join(ROOT, path), f"{name}/{path}")
        import io
        text = _metadata(project).encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return f"{name}.tar.gz"
