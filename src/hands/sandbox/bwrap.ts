import type { Features } from "./grade.js";
import { HOME, type Mount, ROOT, TMP } from "./layout.js";
import type { Limits } from "./options.js";

/*
 * Arguments of bubblewrap. Pure: equal sandboxes give equal arguments.
 *
 * They are handed over in a file and not on the command line, which anybody on the machine can read. Order matters:
 * each mount lies on those before it.
 */

export interface SandboxLayout {
  readonly mounts: readonly Mount[];
  readonly links: readonly (readonly [to: string, at: string])[];
  /** Where programs are searched inside. */
  readonly path: string;
  /** Mounts that cover parts of /proc. */
  readonly covers: readonly Mount[];
  /** A directory outside that serves as home; a temporary one when null. */
  readonly home: string | null;
  readonly homeFiles: readonly Mount[];
  /** The workspace and what of it may be written. */
  readonly workspace: readonly Mount[];
}

/** The numbers of the descriptors a sandbox is started with. */
export const FD = { seccomp: 3, gate: 4, info: 5, arguments: 6 } as const;

export function bwrapArguments(
  layout: SandboxLayout,
  limits: Limits,
  features: Features,
  command: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): string[] {
  const temporary = (at: string) => ["--size", String(limits.temporary), "--tmpfs", at];
  const bind = ({ from, to, writable = false }: Mount) => [writable ? "--bind" : "--ro-bind", from, to];
  const environment = { PATH: layout.path, HOME, TMPDIR: TMP, LANG: "C.UTF-8", ...command.env };
  return [
    ["--unshare-user", "--uid", "1000", "--gid", "1000"],
    ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    features.disableUserns ? ["--disable-userns"] : [],
    ["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "agent"],
    layout.mounts.flatMap(bind),
    layout.links.flatMap(([to, at]) => ["--symlink", to, at]),
    ["--proc", "/proc", ...layout.covers.flatMap(bind)],
    ["--dev", "/dev", ...temporary("/dev/shm"), "--remount-ro", "/dev"],
    temporary(TMP),
    layout.home === null ? temporary(HOME) : ["--bind", layout.home, HOME],
    layout.homeFiles.flatMap(bind),
    layout.workspace.flatMap(bind),
    // The root that bubblewrap makes is a temporary file system without a limit, which the agent owns.
    ["--remount-ro", "/"],
    ["--chdir", command.cwd === "" ? ROOT : `${ROOT}/${command.cwd}`],
    ["--clearenv", ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value])],
    features.seccomp ? ["--seccomp", String(FD.seccomp)] : [],
    ["--info-fd", String(FD.info)],
  ].flat();
}

/**
 * Builds the command between bubblewrap and the program inside.
 *
 * bubblewrap asks the kernel to end its parts with their parent only when it has set them up; a Coordinator that dies
 * before that would leave them behind. So nothing is started until the first process says that it is tied (its filter
 * is loaded right after) and the Coordinator, still alive, has answered through the gate. Then the exact limit on
 * processes is set, which counts those of this sandbox alone: outside it must leave room for everything else of the user.
 */
export function launcher(features: Features, limits: Limits, prlimit: string): string[] {
  const tied =
    'while :; do while read -r k v; do [ "$k" = Seccomp: ] && s=$v; done </proc/1/status; [ "$s" = 2 ] && break; done; ';
  const script = `${features.seccomp ? tied : ""}echo ready >&${FD.gate}; read -r go <&${FD.gate} || exit 125; exec "$@" ${FD.gate}>&-`;
  return ["/bin/sh", "-c", script, "sandbox", prlimit, `--nproc=${limits.processes}`, "--"];
}
