import type { CatchPlan, Plan, StepPlan, UsesPlan } from '../../core/plan/index.ts'
import { catchPath, childOf, isLoop } from '../../core/plan/index.ts'
import { catchFacts, choiceFacts, stepFacts } from './facts.ts'
import type { Box, BoxRun, Graph } from './graph.ts'
import { type DrawnRun, type GraphRun, groupRun, readDrawnRun } from './read-run.ts'

export type { GraphRun } from './read-run.ts'

/** Draws a runbook; with a run, what became of each box. */
export function drawGraph(plan: Plan, run?: GraphRun): Graph {
  const drawing: Drawing = { root: plan, ...(run ? { run: readDrawnRun(run) } : {}) }
  const box: Box = {
    kind: 'runbook',
    path: '',
    label: plan.name,
    ...(plan.title === undefined ? {} : { name: plan.title }),
    facts: [],
    order: 'sequence',
    ...insideOf(plan, '', drawing),
    ...(drawing.run ? { run: drawing.run.whole } : {}),
  }
  return { box, ...(drawing.run ? { run: drawing.run.graphed } : {}) }
}

interface Drawing {
  /** Holds the child runbooks. */
  readonly root: Plan
  readonly run?: DrawnRun
}

type Inside = Pick<Box, 'parts' | 'handlers'>

/** The boxes of a runbook at this path. */
function insideOf(plan: Pick<Plan, 'steps' | 'finally'>, path: string, drawing: Drawing): Inside {
  return {
    parts: stepBoxes(plan.steps, path, drawing),
    handlers: finallyBoxes(plan.finally, path, drawing),
  }
}

function stepBoxes(steps: readonly StepPlan[], outer: string, drawing: Drawing): readonly Box[] {
  return steps.map((step) => stepBox(step, outer === '' ? step.id : `${outer}/${step.id}`, drawing))
}

function stepBox(step: StepPlan, path: string, drawing: Drawing): Box {
  const run = drawing.run?.of(path)
  return {
    kind: step.kind === 'uses' ? 'call' : step.kind,
    path,
    label: step.id,
    ...(step.name === undefined ? {} : { name: step.name }),
    ...(step.kind === 'uses' ? { action: step.uses.action.name, safety: safetyOf(step.uses.action) } : {}),
    ...(isLoop(step) ? { loop: step.forEach ? 'items' : 'turns' } : {}),
    facts: stepFacts(step),
    order: orderOf(step),
    parts: partsOf(step, path, drawing, run),
    handlers: [
      ...catchBoxes(step.catch, catchPath(step, path), drawing),
      ...finallyBoxes(step.kind === 'block' ? step.finally : undefined, path, drawing),
    ],
    ...(run ? { run } : {}),
  }
}

function orderOf({ kind }: StepPlan): Box['order'] {
  if (kind === 'choose') return 'choice'
  return kind === 'parallel' ? 'parallel' : 'sequence'
}

/** Actions of the core send nothing, but for those that are named after what they send over. */
function safetyOf({ name, safety }: UsesPlan['action']): NonNullable<Box['safety']> {
  const isSent = !name.startsWith('core/') || name === 'core/http' || name === 'core/command'
  return isSent ? safety : 'local'
}

function partsOf(step: StepPlan, path: string, drawing: Drawing, run: BoxRun | undefined): readonly Box[] {
  switch (step.kind) {
    case 'uses': {
      const child = childOf(step, drawing.root)
      return child ? [childBox(child, step.uses.runbook ?? '', path, drawing)] : []
    }
    case 'block':
      return stepBoxes(step.steps, path, drawing)
    case 'parallel':
      return stepBoxes(step.branches, path, drawing)
    case 'choose': {
      const chosen = step.forEach ? undefined : drawing.run?.branchOf(path)
      return step.choices.map((choice, index) => {
        const box = part('branch', path, `branch ${index}`, choiceFacts(choice), choice.steps, drawing)
        if (chosen === undefined || chosen === index || !run) return box
        return { ...box, run: { status: 'skipped' } }
      })
    }
  }
}

function childBox(child: Plan, file: string, path: string, drawing: Drawing): Box {
  const inside = insideOf(child, path, drawing)
  return {
    kind: 'child',
    path,
    label: child.name,
    ...(child.title === undefined ? {} : { name: child.title }),
    facts: [{ label: 'runbook', text: file }],
    order: 'sequence',
    ...inside,
    ...(drawing.run ? { run: groupRun(inside.parts) } : {}),
  }
}

function catchBoxes(
  entries: readonly CatchPlan[] | undefined,
  path: string,
  drawing: Drawing,
): readonly Box[] {
  return (entries ?? []).map((entry) => part('catch', path, 'catch', catchFacts(entry), entry.steps, drawing))
}

function finallyBoxes(
  steps: readonly StepPlan[] | undefined,
  path: string,
  drawing: Drawing,
): readonly Box[] {
  return steps ? [part('finally', path, 'finally', [], steps, drawing)] : []
}

/** A part of a step: it has no record of its own, so its steps say what became of it. */
function part(
  kind: 'branch' | 'catch' | 'finally',
  path: string,
  label: string,
  facts: Box['facts'],
  steps: readonly StepPlan[],
  drawing: Drawing,
): Box {
  const parts = stepBoxes(steps, path, drawing)
  return {
    kind,
    path,
    label,
    facts,
    order: 'sequence',
    parts,
    handlers: [],
    ...(drawing.run ? { run: groupRun(parts) } : {}),
  }
}
