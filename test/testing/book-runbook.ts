/** The runbook that cases of test files are about. */
export const bookRunbook = `apiVersion: opsbook/v1
name: book
inputs:
  type: object
  additionalProperties: false
  properties:
    hosts: { type: array, items: { type: string }, default: [a, b] }
    app: { type: string, default: app }
steps:
  - { id: look, uses: test/read, with: { of: 1 }, retry: { attempts: 3 } }
  - id: hosts
    for-each: { items: "\${{ inputs.hosts }}", as: host }
    steps: [{ id: check, uses: test/read, with: { of: "\${{ host }}" } }]
  - { id: ask, uses: core/approve, with: { message: "Create \${{ inputs.app }}?" } }
  - { id: create, uses: test/create, with: { name: "\${{ inputs.app }}" } }
finally:
  - { id: clean, uses: test/write }
outputs: { id: "\${{ steps.create.outputs.id }}" }
`
