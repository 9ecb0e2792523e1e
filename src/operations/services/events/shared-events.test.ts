import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventHub, type EventMessage, type ServerEvent } from "../../../core/events.ts";
import type { SpanPosition, Tracing } from "../../../core/tracing.ts";
import { createIdSource, newServerId, type ServerId } from "../../../core/ids.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { ChangeEvent, NodeStore, NodeNotification } from "../../../store/node-store.ts";
import { SharedEvents, shareRevocations } from "./shared-events.ts";
import { createRevocations } from "../../../core/api-key.ts";

const ids = createIdSource(() => 1_000);
const message: EventMessage = { from: [], to: ["a@x"], subject: "", body: "" };

/** Shared state of the nodes: the changes of servers, and the subscribers to notifications. */
class World {
  readonly changes = new Map<ServerId, ChangeEvent[]>();
  readonly hearers: { readonly node: object; readonly listener: (notification: NodeNotification) => void }[] = [];
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

  nodes(node: object): Pick<NodeStore, "notify" | "onNotification" | "readSequences" | "readEvents"> {
    return {
      notify: (notification) => {
        for (const one of this.hearers) if (one.node !== node && !this.isDeaf) one.listener(notification);
      },
      onNotification: (listener) => void this.hearers.push({ node, listener }),
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
  readonly received: ServerEvent[] = [];
  readonly faults: unknown[] = [];
  /** Current span, and the traces of changes of other nodes. */
  span: SpanPosition | undefined;
  readonly traced: unknown[] = [];
  readonly clock = new FakeClock();
  readonly events: SharedEvents;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    const task = { succeeded: () => undefined, failed: (error: unknown) => void this.faults.push(error) };
    const tracing = {
      current: () => this.span,
      stored: (...traced: Parameters<Tracing["stored"]>) => void this.traced.push(traced),
    };
    const nodes = world.nodes(this);
    this.events = new SharedEvents({ hub: createEventHub(), nodes, clock: this.clock, task, tracing });
  }

  listen(server: ServerId): () => void {
    return this.events.subscribe(server, (event) => this.received.push(event));
  }

  commit(server: ServerId): void {
    this.events.publish(this.#world.commit(server));
  }

  get sequences(): readonly (number | null)[] {
    return this.received.map(({ change }) => change?.sequence ?? null);
  }
}

function setUp(): { world: World; here: Node; there: Node; server: ServerId } {
  const world = new World();
  return { world, here: new Node(world), there: new Node(world), server: newServerId() };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

describe("a subscriber on one node", () => {
  test("receives a change of another node with its message on the notification", async () => {
    const { here, there, server } = setUp();
    here.listen(server);
    here.events.noteSeen(server, 0);
    there.commit(server);
    await settle();
    expect(here.received).toMatchObject([{ change: { sequence: 1 }, message }]);
  });

  test("learns the trace of a change of another node, and nothing of one that is not recorded", async () => {
    const { here, there, server } = setUp();
    there.commit(server);
    there.span = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", isSampled: true };
    there.commit(server);
    expect(here.traced).toEqual([[server, 2, there.span]]);
    expect(there.traced).toEqual([]);
  });

  test("receives changes within a second without a notification, by one query for all servers", async () => {
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
    expect(here.received).toEqual([]);
    here.clock.advance(1);
    await settle();
    expect(here.sequences).toEqual([1, 1, 1, 1, 1, 1]);
    expect([world.sequenceReads, world.eventReads]).toEqual([1, 3]);
  });

  test("receives changes committed between its first query and the first notification", async () => {
    const { here, there, server } = setUp();
    here.listen(server);
    there.commit(server);
    there.commit(server);
    await settle();
    expect(here.received).toEqual([]);
    here.events.noteSeen(server, 1);
    await settle();
    expect(here.sequences).toEqual([2]);
  });

  test("receives earlier changes again when another subscriber had a later position", async () => {
    const { here, there, server } = setUp();
    there.commit(server);
    here.listen(server);
    here.listen(server);
    here.events.noteSeen(server, 1);
    here.events.noteSeen(server, 0);
    await settle();
    expect(here.sequences).toEqual([1, 1]);
  });

  test("is notified without changes when it is far behind, and when sequence numbers restart", async () => {
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

  test("survives outages of the store, which are reported, and catches up afterwards", async () => {
    const { world, here, server } = setUp();
    here.listen(server);
    here.events.noteSeen(server, 0);
    world.isAway = true;
    world.commit(server);
    for (let second = 0; second < 5; second += 1) {
      here.clock.advance(1000);
      await settle();
    }
    expect([here.received.length, here.faults.length]).toEqual([0, 5]);
    world.isAway = false;
    here.clock.advance(1000);
    await settle();
    expect(here.sequences).toEqual([1]);
  });
});

test("a node without subscribers sends no queries", async () => {
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

test("subscribers on two nodes receive all changes of both when notifications are lost", async () => {
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
        const received = new Set(node.sequences);
        expect([...received].toSorted((a, b) => Number(a) - Number(b))).toEqual(steps.map((_, index) => index + 1));
        expect(node.sequences).toHaveLength(steps.length);
      }
    }),
  );
});

test("a revocation on one node notifies listeners on the others once, with the key", () => {
  const listeners: ((notification: NodeNotification) => void)[] = [];
  const node = (): { readonly own: ReturnType<typeof shareRevocations>; readonly received: (string | null)[] } => {
    const received: (string | null)[] = [];
    let listen: (notification: NodeNotification) => void = () => undefined;
    const own = shareRevocations(createRevocations(), {
      notify: (notification) => {
        for (const others of listeners) if (others !== listen) others(notification);
      },
      onNotification: (listener) => {
        listen = listener;
        listeners.push(listener);
      },
    });
    own.subscribe((keyId) => received.push(keyId));
    return { own, received };
  };
  const [one, other] = [node(), node()];
  one.own.publish("key1");
  other.own.publish(null);
  expect([one.received, other.received]).toEqual([
    ["key1", null],
    ["key1", null],
  ]);
});
