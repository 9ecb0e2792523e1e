/** The published package in the conditions of the image: another user without privileges, and a read-only file system. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommand, ServiceProcess } from "../../src/testing/service-process.ts";
import type { InstalledPackage } from "./installed-package.ts";

/** User of the image. */
const user = 1000;
const setpriv = ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--no-new-privs"];
const dropped = [...setpriv, "--bounding-set=-all", "--inh-caps=-all"];

/** Makes all mounts read-only, with a tmpfs for data at `$1`, and executes the rest of the arguments. */
const script = `
data=$1; shift
mount --make-rprivate /
mount -t tmpfs -o uid=${user},gid=${user},mode=700 tmpfs "$data"
cd "$data"
awk '{print $2}' /proc/mounts | while read -r at; do
  case $at in /proc*|/sys*|/dev*|"$data") ;; *) mount -o remount,bind,ro "$at" ;; esac
done 2>/dev/null
! touch "$data/../written" 2>/dev/null || exit 99
exec "$@"`;

/** Declares the test, where namespaces and users can be changed: as root on Linux. */
export function testReadOnlyRoot(installed: () => InstalledPackage): void {
  test.skipIf(!isPermitted())(
    "serves and checks its health as another user on a read-only file system, without a shell",
    async () => {
      const { folder, main } = installed();
      const data = join(folder, "read-only-data");
      mkdirSync(data);
      chmodSync(folder, 0o755);
      const prefix = ["unshare", "--mount", "sh", "-c", script, "sh", data, ...dropped];
      const environment = { RESTANTE_DATA_DIR: data, TMPDIR: data, RESTANTE_LOG: "warn" };
      await using service = await ServiceProcess.start([], { main, prefix, environment });
      const [server, key] = [service.shown("Server"), service.shown("API key")];
      await service.send(`anyone@${server}.restante.test`, "Read-only");
      expect(await service.subjects(server, key)).toEqual(["Read-only"]);
      const inside = ["nsenter", `--target=${service.pid}`, "--mount", "--wd", ...dropped];
      const options = { main, prefix: inside, environment };
      expect(await runCommand(["healthcheck"], options)).toMatchObject({ code: 0, error: "" });
      expect(await service.stop()).toMatchObject({ code: 0, error: "" });
    },
  );
}

function isPermitted(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    const words = ["--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"];
    execFileSync("unshare", words, { stdio: "ignore" });
    execFileSync("setpriv", ["--version"], { stdio: "ignore" });
    execFileSync("nsenter", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    // A container without the right to mount.
    return false;
  }
}
