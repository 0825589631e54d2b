/** Steps that go well: one that answers with a sensitive value, and one that writes it into the log. */
export const goodSteps = `  - id: application
    uses: rum/application/create
    with: { application_name: shop, type: browser, team_id: 1 }
  - id: say
    uses: core/log
    with: { message: "made \${{ steps.application.outputs.client_token }}", level: warn }
`

/** Steps of which one fails in each way: caught, let pass, inside another; the last one is never reached. */
export const badSteps = `  - id: export
    uses: safari/session/export
    with: { session_id: nothing }
    save-as: session.ndjson
    catch: [{ errors: [all], steps: [{ id: none, uses: core/log, with: { message: none } }] }]
  - id: optional
    uses: monit/tools/catalog
    with: { target_locator: nowhere }
    continue-on-error: true
  - id: outer
    steps:
      - { id: fine, uses: core/set, with: { a: 1 } }
      - { id: wrong, uses: core/assert, with: { that: ["\${{ 1 == 2 }}"], message: it does not hold } }
  - { id: never, uses: core/set, with: { a: 1 } }
`
