import { partsAt } from '../forecast/template-parts.ts'
import { templateSource } from '../forecast/template-source.ts'
import { type CoreStep, done } from './core-step.ts'

/** Fails when one of its conditions does not hold. */
export const assert: CoreStep = async ({ path, uses, input }) => {
  const conditions = [input['that'] ?? null].flat()
  const broken = conditions.findIndex((condition) => condition !== true)
  if (broken < 0) return done
  const { message } = input
  const [list] = partsAt(uses.with, ['that'])
  const [written] = list?.kind === 'list' ? list.items.slice(broken) : [list]
  const condition = written === undefined ? `condition ${broken + 1}` : templateSource(written)
  const told = typeof message === 'string' ? message : `does not hold: ${condition}`
  return { status: 'failed', attempts: 0, error: { code: 'AssertionFailed', message: told, path } }
}
