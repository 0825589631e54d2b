import { loadRunbook } from 'opsbook'
import { describe, expect, it } from 'vitest'
import type { Plan, StepPlan } from '../../src/core/plan/plan.ts'
import {
  changeCaughtSteps,
  changeInnerSteps,
  childOf,
  everyStep,
  innerSteps,
  stepsOf,
} from '../../src/core/plan/plan-walk.ts'

const call = (id: string): string => `{ id: ${id}, uses: core/wait, with: { for: 1s } }`
const text = `
apiVersion: opsbook/v1
name: walk
steps:
  - ${call('first')}
  - id: block
    steps: [${call('inner')}]
    finally: [${call('clean')}]
    catch: [{ errors: [all], steps: [${call('rescue')}] }]
  - id: both
    parallel:
      - ${call('left')}
      - { id: right, steps: [${call('deep')}] }
  - id: either
    choose:
      - { when: "\${{ run.name == 'x' }}", steps: [${call('when')}] }
      - { steps: [${call('otherwise')}] }
finally: [${call('last')}]
`

function loadPlan(): Plan {
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}

const ids = (steps: readonly StepPlan[]): readonly string[] => steps.map(({ id }) => id)

describe('a walk over a plan', () => {
  it('reaches every step once: a step, those inside it, then those of its catch', () => {
    const plan = loadPlan()
    expect(ids(everyStep(plan))).toEqual(
      'first block inner clean rescue both left right deep either when otherwise last'.split(' '),
    )
    expect(ids(stepsOf(plan))).toEqual(['first', 'block', 'both', 'either', 'last'])
    expect(plan.steps.map((step) => ids(innerSteps(step)))).toEqual([
      [],
      ['inner', 'clean'],
      ['left', 'right'],
      ['when', 'otherwise'],
    ])
  })

  it('reaches the steps of the runbooks that a plan runs', () => {
    const child = loadPlan()
    const [first] = child.steps
    if (first?.kind !== 'uses') throw new Error('the first step calls an action')
    const run: StepPlan = { ...first, id: 'run', uses: { ...first.uses, runbook: 'child.yaml' } }
    const plan: Plan = { ...child, steps: [run], children: { 'child.yaml': child } }
    expect(childOf(run, plan)).toBe(child)
    expect(childOf(first, plan)).toBeUndefined()
    expect(everyStep(plan)).toHaveLength(2 + everyStep(child).length)
  })

  it('changes the steps of each list, and says whether they run one after another', () => {
    const plan = loadPlan()
    const seen: string[] = []
    for (const step of plan.steps) {
      const same = changeInnerSteps(step, (steps, order) => {
        seen.push(`${order}: ${ids(steps).join(' ')}`)
        return steps
      })
      expect({ ...same, ...changeCaughtSteps(step, (steps) => steps) }).toEqual(step)
    }
    expect(new Set(seen)).toEqual(
      new Set([
        'sequence: inner',
        'sequence: clean',
        'parallel: left right',
        'sequence: when',
        'sequence: otherwise',
      ]),
    )
  })
})
