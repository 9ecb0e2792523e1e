import { act, screen } from "@testing-library/react";
import type { ReactElement } from "react";
import { expect, test, vi } from "vitest";
import { createStore, useStore } from "zustand";
import { allReceived } from "../navigation/mail-query.ts";
import { renderUi, type Rendered, type SimulatedResponse } from "../testing/render-ui.tsx";
import { useMatchCount } from "./use-match-count.ts";

function Count({ q, cursor }: { readonly q: string; readonly cursor: number | null }): ReactElement {
  const counted = useMatchCount({ server: "shop1234", query: { ...allReceived, q } }, cursor);
  return <output>{counted === undefined ? "none" : `${counted.count}${counted.isExact ? "" : "+"}`}</output>;
}

interface Wanted {
  readonly q: string;
  readonly cursor: number | null;
}

const wanted = createStore<Wanted>(() => ({ q: "", cursor: null }));

function change(next: Wanted): void {
  act(() => {
    wanted.setState(next);
  });
}

function Changing(): ReactElement {
  return <Count {...useStore(wanted)} />;
}

function open(q: string, cursor: number | null, respond: () => SimulatedResponse): Rendered {
  wanted.setState({ q, cursor });
  return renderUi(<Changing />, { "POST /web/count": respond });
}

const counts = ({ requests }: Rendered): readonly string[] =>
  requests.filter((line) => line.startsWith("POST /web/count")).map((line) => /&q=([^& ]+)/.exec(line)?.[1] ?? "");

test("counts nothing for a list that needs no count, and counts once for one that does", async () => {
  const rendered = open("code", null, () => ({ count: 731, isExact: true, cursor: 4 }));
  screen.getByText("none");
  change({ q: "code", cursor: 4 });
  await screen.findByText("731");
  expect(counts(rendered)).toEqual(["code"]);
});

test("counts again when the list includes later changes, and not before", async () => {
  let [count, cursor] = [10_000, 4];
  const rendered = open("code", 4, () => ({ count, isExact: count < 10_000, cursor }));
  await screen.findByText("10000+");
  [count, cursor] = [9_999, 6];
  change({ q: "code", cursor: 5 });
  await screen.findByText("9999");
  change({ q: "code", cursor: 6 });
  expect(counts(rendered)).toEqual(["code", "code"]);
});

test("does not count what is only typed in passing", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"], shouldAdvanceTime: false });
  try {
    const rendered = open("c", null, () => ({ count: 3, isExact: true, cursor: 4 }));
    for (const q of ["co", "cod", "code"]) {
      change({ q, cursor: 4 });
      act(() => {
        vi.advanceTimersByTime(399);
      });
    }
    expect(counts(rendered)).toEqual([]);
    act(() => {
      vi.advanceTimersByTime(1);
    });
    expect(counts(rendered)).toEqual(["code"]);
  } finally {
    vi.useRealTimers();
  }
  await screen.findByText("3");
});
