/** The files that `opsbook init` writes, besides the schemas. */

/** A file and its text. */
export interface InitTemplate {
  /** Relative to the folder. */
  readonly file: string
  readonly text: string
}

export const settingsFile = '.vscode/settings.json'

/** The schemas for editors. */
export const schemaFiles = {
  runbook: 'runbook.schema.json',
  configuration: 'opsbook.schema.json',
  tests: 'tests.schema.json',
} as const

const configuration = `# yaml-language-server: $schema=./${schemaFiles.configuration}

# Configuration of Opsbook for this folder and all folders in it. The environment and flags take precedence.

# The folder for journals and files of runs.
data-dir: .opsbook

# The accounts that runs can use. Without any, OPSBOOK_BASE_URL and OPSBOOK_APP_KEY name one (see .env.example),
# and --sandbox needs none at all. "opsbook doctor" checks them.
#
# connections:
#   default:
#     base-url: https://api.example.com
#     app-key: env:PRODUCTION_APP_KEY   # or file:PATH; never the key itself
#     account: production               # connections of one account share its rate limits

# Where to read the secrets that runbooks name.
#
# secrets:
#   tickets_token: env:TICKETS_TOKEN    # or file:PATH; never the secret itself

# Modules with actions of your own.
#
# actions: [./actions/tickets.js]
`

const hello = `# yaml-language-server: $schema=../${schemaFiles.runbook}

# A first look at a host: which diagnostic tools it has, what two of them say, and a file with their findings.
apiVersion: opsbook/v1
name: hello
title: First look at a host

inputs:
  type: object
  additionalProperties: false
  properties:
    host: { type: string, default: web-01, description: The host to look at. }

steps:
  - id: tools
    name: List the diagnostic tools
    uses: monit/tools/catalog
    with:
      target_locator: \${{ inputs.host }}

  - id: checks
    name: Run two of them
    uses: monit/tools/invoke
    with:
      target_locator: \${{ inputs.host }}
      tools:
        - { tool: os.overview }
        - { tool: os.top_processes }
    retry: { attempts: 3, errors: [overloaded, timeout] }

  - id: report
    name: Write the findings down
    uses: core/write
    with:
      content: |
        # \${{ inputs.host }}

        \${{ size(steps.tools.outputs.tools) }} tools, \${{ steps.checks.outputs.total }} of them run.

        \${{ steps.checks.outputs.results.map(r, '- ' + r.tool + ': ' + default(r.data.summary, 'no summary')).join('\\n') }}
    save-as: report.md

outputs:
  tools: \${{ size(steps.tools.outputs.tools) }}
  report: \${{ steps.report.outputs.path }}
`

const helloTest = `# yaml-language-server: $schema=../${schemaFiles.tests}

# Tests of hello.yaml, with scripted calls and in virtual time: opsbook test
runbook: ./hello.yaml
defaults:
  calls:
    tools: { output: { tools: [{ name: os.overview }, { name: os.top_processes }] } }
    checks:
      output:
        results:
          - { tool: os.overview, data: { summary: load 2 }, error: null }
          - { tool: os.top_processes, data: { summary: node uses most cpu }, error: null }
faults: each
tests:
  - name: writes the findings down
    expect:
      status: succeeded
      outputs: { tools: 2, report: report.md }
      sent: { checks: { target_locator: web-01 } }
      files: { report.md: ["# web-01", "- os.top_processes: node uses most cpu"] }
  - name: a host without an agent
    calls: { tools: { error: target_unavailable } }
    expect: { status: failed, error: { code: target_unavailable, path: tools }, never: [checks] }
`

const environment = `# Copy this to .env, fill it in, and load it before you run anything: set -a; . ./.env; set +a
# .env is ignored by git: never commit the key.
OPSBOOK_BASE_URL=https://api.example.com
OPSBOOK_APP_KEY=
`

/** The settings with which VS Code's YAML language server finds the schemas. */
export const editorSettings: string = `"yaml.schemas": ${[
  '{',
  `    "./${schemaFiles.runbook}": ["runbooks/**/*.yaml", "!runbooks/**/*.test.yaml"],`,
  `    "./${schemaFiles.tests}": ["runbooks/**/*.test.yaml"],`,
  `    "./${schemaFiles.configuration}": ["opsbook.yaml"]`,
  '  }',
].join('\n')}`

export const templates: readonly InitTemplate[] = [
  { file: 'opsbook.yaml', text: configuration },
  { file: 'runbooks/hello.yaml', text: hello },
  { file: 'runbooks/hello.test.yaml', text: helloTest },
  { file: settingsFile, text: `{\n  ${editorSettings}\n}\n` },
  { file: '.env.example', text: environment },
]

/** The paths that git must ignore: keys, journals and files of runs. */
export const ignoredPaths: readonly string[] = ['.env', '.opsbook/']
