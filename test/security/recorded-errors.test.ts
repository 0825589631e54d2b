/** The attack is an accident: a service repeats a password in its refusal, and whoever may read the journal reads it. */
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'
import { serving } from '../support/listen.ts'
import { formsIn } from './support/encoded-forms.ts'
import { startVault, token } from './support/marked-outputs.ts'

it('the journal holds a sensitive output in clear as an output alone, and expressions read no other error', async () => {
  const vault = await startVault()
  const refusing = await serving((request, response) => {
    const given = new URL(request.url ?? '', 'http://a.example').searchParams.get('key')
    response
      .writeHead(422, { 'content-type': 'application/json' })
      .end(JSON.stringify({ message: `no ${given}`, given }))
  })
  const runbook = `apiVersion: opsbook/v1
name: a
steps:
  - id: plain
    uses: core/http
    with: { url: "${vault}" }
    sensitive: [body.data.token]
    outputs: { pw: "\${{ outputs.body.data.token }}" }
  - id: use
    uses: core/http
    with: { url: "${refusing}", query: { key: "\${{ steps.plain.outputs.pw }}" } }
    catch: [{ errors: ["*"], steps: [{ id: said, uses: core/set, with: { it: "\${{ json(error) }}" } }] }]
  - { id: again, uses: core/http, with: { url: "${refusing}", query: { key: "\${{ steps.plain.outputs.pw }}" } } }
`
  const folder = await newFolder({ 'a.yaml': runbook })
  const { code, stderr } = await opsbook(['run', 'a.yaml', '--data-dir', 'data'], { folder })
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no (masked)') })
  const database = new DatabaseSync(join(folder, 'data', 'opsbook.db'))
  const read = (sql: string): string => JSON.stringify(database.prepare(sql).all())
  const errors = read('SELECT error FROM attempts WHERE error IS NOT NULL')
  const said = read("SELECT output FROM attempts WHERE path LIKE '%said'")
  database.close()
  expect(errors).toContain('no (masked)')
  for (const text of [errors, said]) expect(formsIn(text, token)).toEqual([])
})
