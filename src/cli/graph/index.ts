/** `opsbook graph`: draws a runbook or a run. */

import { drawRun } from '../../acts/reads/run/index.ts'
import type { Plan } from '../../core/plan/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import { withEngine } from '../../project/engine/index.ts'
import { CommandError, type EngineFlags } from '../../project/index.ts'
import { loadPlan } from '../../project/runbooks/index.ts'
import { drawGraph, mermaidLimits, writeMermaid, writeSvg } from '../../view/graph/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { WithActionsFlags } from '../shared/options.ts'
import { updatePage } from './update-page.ts'

/** The flags of `graph`, as the parser hands them over. */
export interface GraphOptions extends EngineFlags, WithActionsFlags {
  readonly run?: string
  readonly format: 'mermaid' | 'svg' | 'json'
  readonly write?: string
  readonly check?: boolean
}

/** Draws what is named, on stdout or into a Markdown file. */
export async function graph(
  context: CommandContext,
  named: string | undefined,
  options: GraphOptions,
): Promise<ExitCode> {
  refuseContradictions(named, options)
  const { run, write, check = false, withActions = false, format } = options
  if (run !== undefined) return graphRun(context, run, options)
  const { actions, notLoaded } = await lookUpActions(context.io, withActions)
  const load = (name: string): Promise<Plan> => loadPlan(name, actions, context, { notLoaded, isQuiet: true })
  if (write !== undefined) {
    const draw = async (name: string): Promise<string> => mermaid(context, drawGraph(await load(name)))
    return updatePage(context, write, { check, draw, ...(named === undefined ? {} : { only: named }) })
  }
  print(context, drawGraph(await load(named ?? '')), format)
  return exitCodes.succeeded
}

function refuseContradictions(named: string | undefined, { run, write, check, format }: GraphOptions): void {
  const refuse = (message: string, hint: string): never => {
    throw new CommandError('usage', message, { hints: [hint] })
  }
  if (run !== undefined && named !== undefined)
    refuse(
      'a runbook and --run are given',
      'a run is drawn with the runbook that it ran: leave the runbook out',
    )
  if (run !== undefined && write !== undefined)
    refuse(
      '--run and --write are given',
      'a Markdown file holds the graphs of runbooks; redirect that of a run to a file',
    )
  if (check && write === undefined)
    refuse('--check needs --write', 'name the file to check: opsbook graph --write README.md --check')
  if (write !== undefined && format !== 'mermaid')
    refuse(`--write writes Mermaid, and --format is ${format}`, 'leave --format out')
  if (run === undefined && write === undefined && named === undefined)
    refuse('there is nothing to draw', 'name a runbook, or a run: opsbook graph --run latest')
}

/** Draws a run from its record, with what `show` masks masked. */
function graphRun(context: CommandContext, given: string, options: GraphOptions): Promise<ExitCode> {
  return withEngine(context, options, async (engine) => {
    print(context, await drawRun(given, engine), options.format)
    return exitCodes.succeeded
  })
}

type Graph = ReturnType<typeof drawGraph>

function print(context: CommandContext, drawn: Graph, format: GraphOptions['format']): void {
  if (format === 'json') answerJson(context, drawn)
  else answer(context, (format === 'svg' ? writeSvg(drawn) : mermaid(context, drawn)).trimEnd())
}

/** The Mermaid text, with a warning where viewers would refuse it. */
function mermaid(context: CommandContext, drawn: Graph): string {
  const text = writeMermaid(drawn)
  const { characters, edges } = mermaidLimits
  const arrows = text.match(/(-->|~~~|\.->) n\d+$/gm)?.length ?? 0
  if (text.length > characters || arrows > edges) {
    const size = `${text.length} characters and ${arrows} arrows`
    const warning = context.errorPaint.yellow('warning:')
    tell(context, [
      `${warning} the graph of ${drawn.box.label} has ${size}; viewers such as GitHub refuse more than ${characters} and ${edges}`,
      '  draw it with --format svg',
    ])
  }
  return text
}
