import { itemsOf, numberType } from '../../core/expressions/index.ts'
import type { JsonPath } from '../../core/json.ts'
import type { ForEachPlan } from '../../core/plan/index.ts'
import { languageDefaults } from '../language/defaults.ts'
import { runbookLimits } from '../limits.ts'
import type { ForEachKeys } from '../runbook-document.ts'
import { checkItemName } from './check-id.ts'
import type { CompileContext } from './context.ts'
import { tolerance } from './policies.ts'
import { type TypeScope, withTypes } from './scope.ts'
import { compileCount, settingsOf } from './settings.ts'
import { compileTyped } from './template.ts'

/** Compiles a loop; the scope answered is that of its items. */
export function compileForEach(
  context: CompileContext,
  keys: ForEachKeys,
  path: JsonPath,
  scope: TypeScope,
): { readonly plan: ForEachPlan; readonly scope: TypeScope } {
  const items = compileTyped(context, keys.items ?? [], [...path, 'items'], scope, ['list'])
  const as = keys.as ?? languageDefaults.forEach.as
  checkItemName(context, as, [...path, 'as'])
  return {
    plan: {
      items: items.template,
      as,
      ...settingsOf({
        maxParallel: compileCount(context, keys['max-parallel'], [...path, 'max-parallel'], {
          otherwise: languageDefaults.forEach.maxParallel,
          most: runbookLimits.parallel,
        }),
      }),
      tolerate: tolerance(keys.tolerate),
    },
    scope: {
      ...withTypes(scope, { [as]: itemsOf(items.type), index: numberType }),
      loops: [...scope.loops, as],
    },
  }
}
