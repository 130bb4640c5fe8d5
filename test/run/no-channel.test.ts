import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Message } from "../../src/model/run.js";
import { carryOutRun, realProject, realTask, RUN, scopeOf, THERE } from "./real-run.js";

/*
 * Two attempts at the same time, each of which leaves a mark wherever it can and looks for the other's: in every folder
 * one may write, on the loopback, under an abstract socket, among the processes, and in the repository.
 */
const PROBE = `me=$1; other=$2
[ $me = one ] && mine=47101 theirs=47102 || mine=47102 theirs=47101
places="$HOME $HOME/.. /tmp /var/tmp /dev/shm /run /run/lock $PWD/.. .git"
for folder in $places; do
  echo "$me" > "$folder/mark-$me" 2>/dev/null
done
echo mark > src/mark-$me.txt
perl -MIO::Socket::INET -MIO::Socket::UNIX -e '
  my ($me, $port) = @ARGV;
  my $tcp = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 9) or die "tcp";
  my $unix = IO::Socket::UNIX->new(Local => "\\0mark-$me", Listen => 9) or die "unix";
  sleep 600;' $me $mine &
listener=$!
look() {
  for folder in $places src; do ls -a "$folder" 2>/dev/null | grep "mark-$1" | sed "s|^|$folder |"; done
  for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | grep -o "probe.sh $1"; done
  perl -MIO::Socket::INET -MIO::Socket::UNIX -e '
    my ($who, $port) = @ARGV;
    print "tcp\\n" if IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $port, Timeout => 1);
    print "unix\\n" if IO::Socket::UNIX->new(Peer => "\\0mark-$who");' $1 $2
}
: > src/$me.txt
for again in 1 2 3 4 5 6 7 8; do sleep 0.4; look $other $theirs >> src/$me.txt; done
# The same eyes on its own marks: they would have seen the other's.
look $me $mine > src/$me.own
kill $listener
`;

describe("two attempts at the same time", () => {
  it("have no way from one to the other: nothing one leaves is there for the other before it is integrated [S2-008]", async () => {
    const names = ["one", "two"] as const;
    const project = realProject(
      names.map((me) => ({
        prompt_has: `Your task: Be ${me}`,
        steps: [{ run: `sh probe.sh ${me} ${me === "one" ? "two" : "one"}` }, { say: "done" }],
      })),
      { checks: THERE, scope: { commands: ["sh probe.sh *"] } },
    );
    writeFileSync(join(project.root, "probe.sh"), PROBE);
    project.git("add", ".");
    project.git("commit", "-qm", "a probe");
    const tasks = names.map((me) =>
      realTask(me, `Be ${me}`, { scope: { ...scopeOf("src/**"), commands: ["sh probe.sh *"], files: 10 } }),
    );
    const { status, events } = await carryOutRun(project, tasks, { max_concurrent_tasks: 2 });
    expect(status).toBe("completed");
    const order = events.flatMap(({ type }) => (/^attempt_(started|finished)$/.test(type) ? [type] : []));
    expect(order, "both were at work at once").toEqual([
      "attempt_started",
      "attempt_started",
      "attempt_finished",
      "attempt_finished",
    ]);
    for (const me of names) {
      const own = project.git("show", `refs/coord/${RUN}/head:src/${me}.own`).split("\n");
      expect(own, "it can leave marks, and would see them").toEqual(
        expect.arrayContaining([`/tmp mark-${me}`, `/dev/shm mark-${me}`, `probe.sh ${me}`, "tcp", "unix"]),
      );
      expect(project.git("show", `refs/coord/${RUN}/head:src/${me}.txt`), "and saw none of the other's").toBe("");
      // Both marks are there once both are integrated: the one way there is.
      expect(project.git("show", `refs/coord/${RUN}/head:src/mark-${me}.txt`)).toBe("mark");
    }
  });

  it("have no kind of message for each other: all there are go between the tiers [S2-008]", () => {
    expect(Message.options.map(({ shape }) => shape.type.value).sort()).toEqual([
      "escalation",
      "planning_request",
      "planning_response",
      "progress_update",
      "task_assignment",
      "task_result",
    ]);
  });
});
