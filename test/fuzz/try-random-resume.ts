import { RunbookError, type RunHandle } from 'opsbook'
import { expect } from 'vitest'
import { createStage, type Stage } from '../engine/embedded/support/stage.ts'
import { createRandom, type Random } from './random.ts'

/** One step of a random runbook: a call, or a call for each item. */
interface Step {
  readonly id: string
  readonly action: 'read' | 'put' | 'make'
  /** One name: a single call; several: a loop over them. */
  readonly names: readonly string[]
  readonly isLoop: boolean
}

/** Edits and resumes a random runbook several times: nothing is created more often than it was asked for. */
export async function tryRandomResume(seed: number): Promise<void> {
  const random = createRandom(seed)
  const stage = createStage()
  let steps: readonly Step[] = Array.from({ length: 2 + random.below(4) }, (_, index) =>
    newStep(random, index),
  )
  const wanted = new Map<string, number>()
  const made = trouble(stage, random)
  want(wanted, steps)
  const run = await stage.start(document(steps))
  stopSometimes(random, run, stage)
  const { run_id } = await run.result
  let next = steps.length
  for (let round = 0; round < 6; round++) {
    const isLast = round === 5
    if (isLast) made.heal()
    const before = steps
    if (random.next() < 0.9) steps = edit(random, steps, () => newStep(random, next++))
    const keep = random.next() < 0.15 ? steps.map(({ id }) => id).filter(() => random.next() < 0.5) : []
    const plan = stage.plan(document(steps))
    const status = await go(stage, random, run_id, { plan, ...(keep.length > 0 ? { keep } : {}) })
    if (status === 'refused') {
      steps = before
      continue
    }
    want(wanted, steps)
    if (status === 'succeeded') break
    // As a user would after a crash.
    if (random.next() < 0.7) await go(stage, random, run_id, undefined)
  }
  const told = `after ${JSON.stringify(steps)}`
  for (const [id, times] of createdBy(stage)) {
    expect(times, `by ${id}, ${told}`).toBeLessThanOrEqual(wanted.get(id) ?? 0)
  }
  for (const [name, times] of made.created) {
    expect(times, `${name}, ${told}`).toBeLessThanOrEqual(wanted.get(name) ?? 0)
  }
}

/** Carries the run on; says how it ended, or that it was refused. */
async function go(
  stage: Stage,
  random: Random,
  runId: string,
  changes: NonNullable<Parameters<Stage['reopen']>[1]>['changes'],
): Promise<string> {
  try {
    const handle = await stage.reopen(runId, changes ? { changes } : {})
    stopSometimes(random, handle, stage)
    const { status, error } = await handle.result
    expect(error?.code).not.toBe('InternalDefect')
    return status
  } catch (error) {
    expect(
      RunbookError.is(error) && ['InvalidInput', 'OutcomeUnknown'].includes(error.code),
      String(error),
    ).toBe(true)
    return 'refused'
  }
}

/** The process is asked to stop after some calls. */
function stopSometimes(random: Random, handle: RunHandle, stage: Stage): void {
  if (random.next() < 0.6) return
  const after = stage.events.length + random.below(20)
  void (async () => {
    for await (const _ of handle.events) if (stage.events.length > after) handle.interrupt()
  })()
}

function trouble(stage: Stage, random: Random): { readonly created: Map<string, number>; heal(): void } {
  const created = new Map<string, number>()
  let isHealthy = false
  stage.answer = ({ name, safety }) => {
    if (!isHealthy && (name === 'last' || random.next() < 0.15))
      throw new RunbookError('ResourceNotFound', `${name} is not there`)
    if (safety === 'create') created.set(name, (created.get(name) ?? 0) + 1)
    return { name }
  }
  return {
    created,
    heal() {
      isHealthy = true
    },
  }
}

function newStep(random: Random, index: number): Step {
  const isLoop = random.next() < 0.4
  return {
    id: `s${index}`,
    action: random.pick(['read', 'put', 'make', 'make'] as const),
    isLoop,
    names: Array.from({ length: isLoop ? 1 + random.below(4) : 1 }, () => newName(random)),
  }
}

function newName(random: Random): string {
  return `n${random.below(24)}`
}

function edit(random: Random, steps: readonly Step[], fresh: () => Step): readonly Step[] {
  const at = random.below(steps.length)
  const step = steps[at] ?? fresh()
  const without = steps.toSpliced(at, 1)
  switch (random.below(12)) {
    case 0:
      return steps.toSpliced(at, 0, fresh())
    case 1:
      return without.length > 0 ? without : steps
    case 2:
      return without.toSpliced(random.below(without.length + 1), 0, step)
    case 3:
      return steps.with(at, { ...step, id: fresh().id })
    case 4:
      return steps.with(at, { ...step, action: random.pick(['read', 'put', 'make'] as const) })
    case 5:
      return steps.with(at, { ...step, names: step.names.toReversed() })
    default:
      return steps.with(at, changeNames(random, step))
  }
}

function changeNames(random: Random, step: Step): Step {
  const { names, isLoop } = step
  const at = random.below(names.length)
  if (!isLoop || random.next() < 0.6) return { ...step, names: names.with(at, newName(random)) }
  if (names.length > 1 && random.next() < 0.5) return { ...step, names: names.toSpliced(at, 1) }
  return { ...step, names: names.toSpliced(at, 0, newName(random)) }
}

/** How many creates each step has executed. */
function createdBy({ events }: Stage): ReadonlyMap<string, number> {
  const actions = new Map<string, string>()
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'attempt_started') actions.set(event.path, event.action)
    if (event.type !== 'attempt_succeeded' || event.from_journal) continue
    if (actions.get(event.path) !== 'note/make') continue
    const id = event.path.replace(/\[.*/, '')
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

/** At most as often as one version of the runbook wanted each thing to be made, and as many as it wanted of a step. */
function want(wanted: Map<string, number>, steps: readonly Step[]): void {
  const now = new Map<string, number>()
  for (const { id, action, names } of steps) {
    if (action === 'make') now.set(id, names.length)
    if (action === 'make') for (const name of names) now.set(name, (now.get(name) ?? 0) + 1)
  }
  for (const [name, times] of now) wanted.set(name, Math.max(times, wanted.get(name) ?? 0))
}

function document(steps: readonly Step[]): string {
  return steps
    .map(({ id, action, names, isLoop }) =>
      isLoop
        ? `  - { id: ${id}, uses: note/${action}, with: { name: "\${{ item }}" }, for-each: { items: [${names.join(', ')}], tolerate: 1 } }\n`
        : `  - { id: ${id}, uses: note/${action}, with: { name: ${names[0]} } }\n`,
    )
    .concat('  - { id: last, uses: note/read, with: { name: last } }\n')
    .join('')
}
