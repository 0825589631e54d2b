/** Something that happens at a time, in milliseconds from the start. */
export type Continue = (now: number) => void

/** A clock that is never waited for: it jumps from one thing that is due to the next. */
export interface Timeline {
  /** Does this at that time: the earliest first, those of one time in the order they were named. */
  at(time: number, then: Continue): void
  /** Goes on until nothing is due any more. */
  run(): void
}

export function createTimeline(): Timeline {
  let now = 0
  let due: Continue[] = []
  const later = new Map<number, Continue[]>()
  return {
    at(time, then) {
      if (time <= now) {
        due.push(then)
        return
      }
      const there = later.get(time)
      if (there) there.push(then)
      else later.set(time, [then])
    },
    run() {
      while (due.length > 0 || later.size > 0) {
        if (due.length === 0) {
          now = Math.min(...later.keys())
          due = later.get(now) ?? []
          later.delete(now)
        }
        const begun = due
        due = []
        for (const then of begun) then(now)
      }
    },
  }
}
