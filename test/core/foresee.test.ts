import { createActions, loadRunbook } from 'opsbook'
import { expect, it } from 'vitest'
import { foresee, known, knownMap, ofAnswer } from '../../src/core/expressions/known.ts'

const text = (of: string): string =>
  JSON.stringify({
    apiVersion: 'opsbook/v1',
    name: 'test',
    inputs: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
    steps: [
      { id: 'ok', uses: 'core/approve', with: { message: 'Go on?' } },
      { id: 'drain', uses: 'core/http', with: { method: 'PUT', url: 'http://x.example', body: of } },
    ],
  })

it.each([
  ['${{ steps.ok.outputs.by }}', '${{ steps.ok.outputs.by }}', '‹not known yet›'],
  [
    'by ${{ steps.ok.outputs.by }} on ${{ inputs.host }}',
    'by ${{ steps.ok.outputs.by }} on ${{ inputs.host }}, inputs.host is "web-01"',
    'by ‹not known yet› on web-01',
  ],
  [
    '${{ {"host": inputs.host, "by": steps.ok.outputs.by} }}',
    '${{ {"host": inputs.host, "by": steps.ok.outputs.by} }}, inputs.host is "web-01"',
    '‹not known yet: {"host": inputs.host, "by": steps.ok.outputs.by}, inputs.host is "web-01"›',
  ],
  [
    "${{ steps.ok.outputs.approved ? 'drain' : 'keep' }}",
    "${{ steps.ok.outputs.approved ? 'drain' : 'keep' }}",
    "‹not known yet: steps.ok.outputs.approved ? 'drain' : 'keep'›",
  ],
])(
  'what reads the answer is foreseen with all else that it reads, and shown with its values: %s',
  (of, seen, shown) => {
    const step = loadRunbook(text(of), createActions([])).plan?.steps[1]
    if (step?.kind !== 'uses') throw new Error('the runbook is refused')
    const scope = {
      inputs: knownMap({ host: known('web-01') }),
      steps: knownMap({ ok: knownMap({ outputs: ofAnswer }) }),
    }
    expect(foresee(step.uses.with, scope)).toMatchObject({
      value: { body: seen },
      shown: { body: shown },
    })
  },
)
