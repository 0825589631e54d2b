import { Option } from 'commander'
import { type DefineCommand, OpsbookCommand } from '../shared/opsbook-command.ts'
import { dataDirOption, engineOption, runbookArgument, withActionsOption } from '../shared/options.ts'

export const graphCommand: DefineCommand = (start) =>
  new OpsbookCommand('graph')
    .summary('draw a runbook, or what happened in a run')
    .description(
      'Draws a runbook as boxes in boxes. With --run, what became of each step: status, calls, duration, items of loops.',
    )
    .argument('[runbook]', runbookArgument)
    .option('--run <run>', 'draw this run: its id, the start of the id, its key (--id), or "latest"')
    .addOption(
      new Option(
        '--format <format>',
        'mermaid: for Markdown pages; svg: a picture, light and dark; json: the boxes',
      )
        .choices(['mermaid', 'svg', 'json'])
        .default('mermaid'),
    )
    .option('--write <file>', 'replace the graphs between the markers of a Markdown file')
    .option('--check', 'with --write: change nothing, and fail if a graph is stale')
    .addOption(withActionsOption())
    .addOption(dataDirOption())
    .addOption(engineOption())
    .withExamples(
      [
        'opsbook graph incident-to-post-mortem',
        'opsbook graph look.yaml --format svg > look.svg',
        'opsbook graph --run latest --format svg > run.svg',
        'opsbook graph --write README.md',
        'opsbook graph --write README.md --check',
      ],
      `In a Markdown file, a graph stands between two markers. Each is a line of its own:
  <!-- opsbook graph runbooks/look.yaml -->
  <!-- /opsbook graph -->
A path is relative to the file. --write with a runbook replaces only the graphs of that runbook.

Secrets and sensitive values are masked, as in "opsbook show". Nothing is sent.

Exit codes: 0 drawn, or up to date · 1 stale (--check) · 2 wrong usage, or an invalid runbook`,
    )
    .executes(start, async () => (await import('./index.ts')).graph)
