import { loadRunbook } from 'opsbook'
import type { Plan } from '../../src/core/plan/plan.ts'

/** A plan with a text as the name of a runbook, of calls and of a block, and in a condition. */
export function planNamed(name: string): Plan {
  const call = { name, uses: 'core/wait', with: { for: '1s' } }
  const condition = `\${{ run.id != ${JSON.stringify(name.replaceAll(/\p{Cs}/gu, '?').slice(0, 500))} }}`
  const steps = [
    { id: 'call', ...call, if: condition },
    { id: 'block', name, if: condition, steps: [{ id: 'end', ...call }] },
  ]
  const text = JSON.stringify({ apiVersion: 'opsbook/v1', name: 'hostile', title: name, steps })
  const { plan, diagnostics } = loadRunbook(text, [])
  if (!plan) throw new Error(JSON.stringify(diagnostics))
  return plan
}
