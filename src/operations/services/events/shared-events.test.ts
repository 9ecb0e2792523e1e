import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventHub, type EventMessage, type ServerEvent } from "../../../core/events.ts";
import { createIdSource, newServerId, type ServerId } from "../../../core/ids.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { ChangeEvent, NodeStore, Word } from "../../../store/node-store.ts";
import { SharedEvents } from "./shared-events.ts";

const ids = createIdSource(() => 1_000);
const message: EventMessage = { from: [], to: ["a@x"], subject: "", body: "" };

/** What all nodes have in common: the changes of servers, and whoever hears words. */
class World {
  readonly changes = new Map<ServerId, ChangeEvent[]>();
  readonly hearers: { readonly node: object; readonly listener: (word: Word) => void }[] = [];
  isAway = false;
  isDeaf = false;
  sequenceReads = 0;
  eventReads = 0;

  commit(server: ServerId): ChangeEvent {
    const list = this.changes.get(server) ?? [];
    const change = { sequence: list.length + 1, kind: "received", id: ids.next(server, "Received").id } as const;
    const event = { server, change, message };
    this.changes.set(server, [...list, event]);
    return event;
  }

  nodes(node: object): Pick<NodeStore, "tell" | "onWord" | "readSequences" | "readEvents"> {
    return {
      tell: (word) => {
        for (const one of this.hearers) if (one.node !== node && !this.isDeaf) one.listener(word);
      },
      onWord: (listener) => void this.hearers.push({ node, listener }),
      readSequences: (servers) => {
        this.sequenceReads += 1;
        if (this.isAway) return Promise.reject(new Error("away"));
        return Promise.resolve(new Map(servers.map((server) => [server, this.changes.get(server)?.length ?? 0])));
      },
      readEvents: (server, sequence, limit) => {
        this.eventReads += 1;
        if (this.isAway) return Promise.reject(new Error("away"));
        return Promise.resolve((this.changes.get(server) ?? []).slice(sequence, sequence + limit));
      },
    };
  }
}

class Node {
  readonly heard: ServerEvent[] = [];
  readonly faults: unknown[] = [];
  readonly clock = new FakeClock();
  readonly events: SharedEvents;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    const task = { succeeded: () => undefined, failed: (error: unknown) => void this.faults.push(error) };
    this.events = new SharedEvents({ hub: createEventHub(), nodes: world.nodes(this), clock: this.clock, task });
  }

  listen(server: ServerId): () => void {
    return this.events.subscribe(server, (event) => this.heard.push(event));
  }

  commit(server: ServerId): void {
    this.events.publish(this.#world.commit(server));
  }

  get sequences(): readonly (number | null)[] {
    return this.heard.map(({ change }) => change?.sequence ?? null);
  }
}

function setUp(): { world: World; here: Node; there: Node; server: ServerId } {
  const world = new World();
  return { world, here: new Node(world), there: new Node(world), server: newServerId() };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

describe("whoever listens on one node", () => {
  test("hears what another commits, with its message, as soon as that tells", async () => {
    const { here, there, server } = setUp();
    here.listen(server);
    here.events.noteSeen(server, 0);
    there.commit(server);
    await settle();
    expect(here.heard).toMatchObject([{ change: { sequence: 1 }, message }]);
  });

  test("hears within a second what nobody told, by one query however many servers there are", async () => {
    const { world, here, there } = setUp();
    world.isDeaf = true;
    const servers = Array.from({ length: 50 }, newServerId);
    for (const server of servers) {
      here.listen(server);
      here.listen(server);
      here.events.noteSeen(server, 0);
    }
    for (const server of servers.slice(0, 3)) there.commit(server);
    here.clock.advance(999);
    await settle();
    expect(here.heard).toEqual([]);
    here.clock.advance(1);
    await settle();
    expect(here.sequences).toEqual([1, 1, 1, 1, 1, 1]);
    expect([world.sequenceReads, world.eventReads]).toEqual([1, 3]);
  });

  test("hears what was committed between its look and the first word", async () => {
    const { here, there, server } = setUp();
    here.listen(server);
    there.commit(server);
    there.commit(server);
    await settle();
    expect(here.heard).toEqual([]);
    here.events.noteSeen(server, 1);
    await settle();
    expect(here.sequences).toEqual([2]);
  });

  test("hears again what came before its own look, when another had looked later", async () => {
    const { here, there, server } = setUp();
    there.commit(server);
    here.listen(server);
    here.listen(server);
    here.events.noteSeen(server, 1);
    here.events.noteSeen(server, 0);
    await settle();
    expect(here.sequences).toEqual([1, 1]);
  });

  test("is told to look for itself when it is far behind, and when a server counts anew", async () => {
    const { world, here, server } = setUp();
    here.listen(server);
    here.events.noteSeen(server, 0);
    for (let count = 0; count < 600; count += 1) world.commit(server);
    here.clock.advance(1000);
    await settle();
    expect(here.sequences).toEqual([null]);
    world.changes.delete(server);
    world.commit(server);
    here.clock.advance(1000);
    await settle();
    expect(here.sequences).toEqual([null, null]);
  });

  test("stays while the store is away, which is reported each time, and is caught up after", async () => {
    const { world, here, server } = setUp();
    here.listen(server);
    here.events.noteSeen(server, 0);
    world.isAway = true;
    world.commit(server);
    for (let second = 0; second < 5; second += 1) {
      here.clock.advance(1000);
      await settle();
    }
    expect([here.heard.length, here.faults.length]).toEqual([0, 5]);
    world.isAway = false;
    here.clock.advance(1000);
    await settle();
    expect(here.sequences).toEqual([1]);
  });
});

test("a node where nobody listens reads nothing, and asks for nothing", async () => {
  const { world, here, there, server } = setUp();
  const leave = here.listen(server);
  here.events.noteSeen(server, 0);
  leave();
  leave();
  there.commit(server);
  here.clock.advance(10_000);
  await settle();
  expect([world.sequenceReads, world.eventReads, here.events.hasListeners(server)]).toEqual([0, 0, false]);
});

test("what two nodes commit in turn is heard by both, each whole, whatever words are lost", async () => {
  const step = fc.record({ by: fc.integer({ min: 0, max: 1 }), isDeaf: fc.boolean(), settles: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const { world, here, there, server } = setUp();
      for (const node of [here, there]) {
        node.listen(server);
        node.events.noteSeen(server, 0);
      }
      for (const { by, isDeaf, settles } of steps) {
        world.isDeaf = isDeaf;
        (by === 0 ? here : there).commit(server);
        if (settles) await settle();
      }
      for (const node of [here, there]) {
        node.clock.advance(1000);
        await settle();
        const heard = new Set(node.sequences);
        expect([...heard].toSorted((a, b) => Number(a) - Number(b))).toEqual(steps.map((_, index) => index + 1));
        expect(node.sequences).toHaveLength(steps.length);
      }
    }),
  );
});
