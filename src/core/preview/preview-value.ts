import { evaluateCondition, evaluateTemplate, filledSource, type KnownScope } from '../expressions/known.ts'
import type { Expression, Template } from '../expressions/tree.ts'
import type { Tolerance } from '../plan/plan.ts'
import type { ArgumentPreview, ConditionPreview, TolerancePreview, ValuePreview } from './step-preview.ts'

/** What is known about a condition. */
export function previewCondition(expression: Expression, scope: KnownScope): ConditionPreview {
  const { source } = expression
  const evaluated = evaluateCondition(expression, scope)
  if (evaluated.state === 'known') return { source, state: evaluated.value ? 'true' : 'false', needs: [] }
  if (evaluated.state === 'failed') return { source, state: 'failed', needs: [] }
  return { source, state: 'open', needs: evaluated.needs }
}

export function previewTolerance(tolerance: Tolerance): TolerancePreview {
  return typeof tolerance === 'object' ? `${tolerance.percent}%` : tolerance
}

/** What is known about a value. */
export function previewValue(template: Template, scope: KnownScope): ValuePreview {
  const evaluated = evaluateTemplate(template, scope)
  if (evaluated.state === 'known') return evaluated
  const source = filledSource(template, scope)
  if (evaluated.state === 'failed') return { state: 'failed', source, message: evaluated.message }
  const members = previewMembers(template, scope)
  const isPartlyKnown = members.some(({ state }) => state !== 'open')
  return { state: 'open', source, needs: evaluated.needs, ...(isPartlyKnown ? { members } : {}) }
}

/** The members of a map, and of the maps in it that are known in part. */
function previewMembers(template: Template, scope: KnownScope): readonly ArgumentPreview[] {
  if (template.kind !== 'object') return []
  return template.entries.flatMap(([name, value]) => {
    const member = previewValue(value, scope)
    if (member.state !== 'open' || member.members === undefined) return [{ name, ...member }]
    return member.members.map((inner) => ({ ...inner, name: `${name}.${inner.name}` }))
  })
}
