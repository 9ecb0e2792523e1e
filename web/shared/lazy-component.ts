import { createElement, lazy, Suspense, type ComponentType, type LazyExoticComponent, type ReactElement } from "react";

const retryMs = 1000;

/** Returns a component whose code loads when it is first rendered; loading is retried until the service is reachable. */
export function lazyComponent<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await loadWithRetries(load) }));
}

/** Returns a component as {@link lazyComponent} does, in whose place nothing is shown while its code loads. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => ReactElement {
  const Part = lazyComponent(load) as ComponentType<Props>;
  return (props) => createElement(Suspense, null, createElement(Part, props));
}

async function loadWithRetries<Component>(load: () => Promise<Component>): Promise<Component> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      console.warn("A part of the page could not be loaded; trying again", error);
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
