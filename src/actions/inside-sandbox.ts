import { reachesOutside } from '../core/action.ts'
import { outsideSteps, type PreviewOptions } from '../core/preview/index.ts'
import { RunbookError } from '../core/run-error.ts'
import type { Action } from './action.ts'

/** The actions of a sandbox run. Those that reach anything but the sandbox fail with `OutsideSandbox` and send nothing. */
export function insideSandbox(actions: readonly Action[]): readonly Action[] {
  return actions.map((action) =>
    reachesOutside(action)
      ? {
          ...action,
          isRefused: true,
          run: () => Promise.reject(outsideSandbox(`${action.name} would leave the sandbox`)),
        }
      : action,
  )
}

/** Throws `OutsideSandbox` with the steps that would leave the sandbox, where a run with these inputs can reach any. */
export function refuseOutside(run: Pick<PreviewOptions, 'plan' | 'inputs' | 'actions'>): void {
  const refused = new Set(run.actions.filter(({ isRefused }) => isRefused).map(({ name }) => name))
  if (refused.size === 0) return
  const steps = outsideSteps(run).filter(({ action }) => refused.has(action))
  if (steps.length === 0) return
  const list = steps.map(({ path, action }) => `${path} (${action})`).join(', ')
  throw outsideSandbox(`${list} would leave the sandbox; nothing was sent`)
}

function outsideSandbox(message: string): RunbookError {
  return new RunbookError('OutsideSandbox', message, { notSent: true })
}
