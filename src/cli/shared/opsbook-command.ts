import { Command, type Option } from 'commander'
import type { CommandContext, Completion, Start } from './context.ts'
import { dataDirOption, engineOption, examples, outputOption } from './options.ts'

/** The work of a command: it takes the arguments of the command line, and then the flags. */
type Work = (context: CommandContext, ...given: never[]) => Completion

/** Defines a command for the parser. */
export type DefineCommand = (start: Start) => Command

/** A command of which the definition is loaded alone, and its work only when it is executed. */
export class OpsbookCommand extends Command {
  /** Adds the flags that say where the runs are recorded, and how the answer is printed. */
  withLocation(output: Option = outputOption()): this {
    return this.addOption(dataDirOption()).addOption(engineOption()).addOption(output)
  }

  /** Ends the help text with command lines that work unchanged, and with what else is to be known. */
  withExamples(lines: readonly string[], more?: string): this {
    return this.addHelpText('after', `${examples(lines)}${more === undefined ? '' : `\n\n${more}`}`)
  }

  /** Sets the work. `first`: what it takes before the arguments of the command line. */
  executes(start: Start, load: () => Promise<Work>, ...first: readonly string[]): this {
    return this.action((...given: unknown[]) =>
      start(async (context) => {
        const work = (await load()) as (context: CommandContext, ...all: unknown[]) => Promise<undefined>
        // The parser appends the flags without those of the command around it, and the command itself.
        return work(context, ...first, ...given.slice(0, -2), this.optsWithGlobals())
      }),
    )
  }
}
