/** Handles this many items at once: enough to keep the disk busy, and a bound for what is held in memory. */
const atOnce = 16

/** What becomes of the items, in their order, while the next ones are already being worked on. */
export async function* readAhead<T, R>(
  items: AsyncIterable<T>,
  handle: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const pending: Promise<R>[] = []
  for await (const item of items) {
    pending.push(handle(item))
    if (pending.length >= atOnce) yield pending.shift() as Promise<R>
  }
  for (const result of pending) yield result
}
