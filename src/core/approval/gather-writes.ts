import { foresee, type KnownScope, known, knownMap } from '../expressions/known.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { UsesPlan } from '../plan/plan.ts'

import type { ForeseenCall } from './seal-calls.ts'

/** Gathers the calls of a part of a plan in which steps run one after another. */
export interface CallCollector {
  /** An action is called here. */
  add(call: { readonly path: string; readonly uses: UsesPlan; readonly scope: KnownScope }): void
  /** For a part that may be left out: what is asked in it counts for what comes after it, too. */
  maybe(): CallCollector
  /** For an item, a turn or a branch, which runs on its own. `needs`: what says how often its calls are made. */
  inside(needs?: readonly string[]): CallCollector
}

/** Gathers the writes up to the next question. */
export interface WriteCollector extends CallCollector {
  readonly found: readonly ForeseenCall[]
  /** The next question was reached: it covers what follows. */
  isOver(): boolean
}

/** Whether a call changes something outside of the run. */
export function isWrite({ safety, isLocal }: UsesPlan['action']): boolean {
  return safety !== 'read' && isLocal !== true
}

export function createWriteCollector(
  found: ForeseenCall[] = [],
  needs: readonly string[] = [],
): WriteCollector {
  let isOver = false
  return {
    found,
    isOver: () => isOver,
    add({ path, uses, scope }) {
      if (isOver) return
      if (uses.action.name === 'core/approve') isOver = true
      else if (isWrite(uses.action)) found.push(foreseeWrite(path, uses, scope, needs))
    },
    maybe: () => (isOver ? nothingMore : createWriteCollector(found, needs)),
    inside: (more = []) => (isOver ? nothingMore : createWriteCollector(found, [...needs, ...more])),
  }
}

const nothingMore: CallCollector = { add() {}, maybe: () => nothingMore, inside: () => nothingMore }

/** A write as far as it is known. `needs`: what says how often it is made. */
export function foreseeWrite(
  path: string,
  uses: UsesPlan,
  scope: KnownScope,
  needs: readonly string[] = [],
): ForeseenCall {
  const input = foresee(uses.with, scope)
  const saveAs = uses.saveAs && foresee(uses.saveAs, scope)
  const missing = [input, saveAs].flatMap((part) => (part && 'needs' in part ? part.needs : []))
  const all = [...new Set([...needs, ...missing])]
  if (all.length > 0 || !('value' in input)) return { path, uses, needs: all }
  if (!isJsonObject(input.value)) return { path, uses, needs: ['a map of arguments'] }
  const [file, shownFile] = saveAs && 'value' in saveAs ? [String(saveAs.value), String(saveAs.shown)] : []
  const shown = { input: input.shown as JsonObject, saveAs: shownFile }
  return { path, uses, input: input.value, saveAs: file, shown }
}

/** What expressions see in a run, with other knowledge of some steps. */
export function knownScope(scope: JsonObject, steps: KnownScope = {}): KnownScope {
  const visible = isJsonObject(scope['steps']) ? scope['steps'] : {}
  return {
    ...knownFields(scope),
    steps: knownMap({ ...knownFields(visible), ...steps }),
  }
}

function knownFields(fields: JsonObject): KnownScope {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, known(value)]))
}
