import type {
  FailureGroup,
  ItemInFlight,
  ItemPage,
  ItemRow,
  LoopFacts,
  NodeWait,
  PastWait,
  RunView,
  ShownError,
  ShownWarning,
  StepNode,
} from '../view/run/index.ts'
import {
  arrayOf,
  dictionaryOf,
  number,
  objectOf,
  oneWord,
  partly,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { placeInLineSchema, toleratedItemsSchema } from './facts.ts'

const shownError: Schema<ShownError> = objectOf<ShownError>({
  code: partly(text),
  message: text,
  'path?': text,
})

export const waitSchema: Schema<NodeWait> = objectOf<NodeWait>({
  path: text,
  reason: partly(text),
  since: time,
  'until?': time,
  'message?': text,
  'counted?': text,
  'after?': shownError,
})

const failureGroup = objectOf<FailureGroup>({
  code: text,
  message: text,
  count: wholeNumber,
  first: wholeNumber,
})

export const loopSchema: Schema<LoopFacts> = objectOf<LoopFacts>({
  unit: oneWord('items', 'turns'),
  total: wholeNumber,
  done: wholeNumber,
  failed: wholeNumber,
  in_flight: wholeNumber,
  'interrupted?': wholeNumber,
  waiting: wholeNumber,
  left: wholeNumber,
  'per_minute?': number,
  'expected_end?': time,
  'limited_by?': partly(text),
  'limit?': objectOf<NonNullable<LoopFacts['limit']>>({
    action: text,
    calls: wholeNumber,
    per: oneWord('second', 'minute', 'day'),
  }),
  oldest: arrayOf(
    objectOf<ItemInFlight>({
      index: wholeNumber,
      path: text,
      'item?': text,
      since: time,
      'at?': text,
      'wait?': waitSchema,
    }),
  ),
  failures: arrayOf(failureGroup),
  'other_failures?': wholeNumber,
  'tolerated?': arrayOf(failureGroup),
  'durations?': objectOf<NonNullable<LoopFacts['durations']>>({
    bounds_ms: arrayOf(number),
    counts: arrayOf(wholeNumber),
  }),
  'time?': objectOf<NonNullable<LoopFacts['time']>>({
    since: time,
    bucket_ms: wholeNumber,
    in_flight_ms: wholeNumber,
    waited_ms: partly(dictionaryOf(wholeNumber)),
    shares: partly(dictionaryOf(arrayOf(wholeNumber))),
  }),
  cells: text,
})

export const nodeSchema: Schema<StepNode> = objectOf<StepNode>({
  path: text,
  'parent?': text,
  position: wholeNumber,
  id: text,
  kind: oneWord('call', 'block', 'parallel', 'choose', 'runbook', 'item'),
  'name?': text,
  'action?': text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'attempts?': wholeNumber,
  'waits?': arrayOf(waitSchema),
  'more_waits?': wholeNumber,
  'past_waits?': arrayOf(objectOf<PastWait>({ reason: partly(text), since: time, until: time })),
  'waited_ms?': partly(dictionaryOf(number)),
  'error?': shownError,
  'is_warning?': yes,
  'has_tolerated?': yes,
  'caught?': shownError,
  'branch?': wholeNumber,
  'condition?': text,
  'failed_items?': objectOf<NonNullable<StepNode['failed_items']>>({
    total: wholeNumber,
    failed: wholeNumber,
  }),
  'groups?': objectOf<NonNullable<StepNode['groups']>>({
    total: wholeNumber,
    done: wholeNumber,
    failed: wholeNumber,
  }),
  'loop?': loopSchema,
})

export const viewSchema: Schema<RunView> = objectOf<RunView>(
  {
    run_id: text,
    seq: wholeNumber,
    'is_whole?': yes,
    head: objectOf<RunView['head']>({
      runbook: text,
      'title?': text,
      status: partly(text),
      'started_at?': time,
      'ended_at?': time,
      'last_at?': time,
      begins: wholeNumber,
      'place_in_line?': placeInLineSchema,
      'error?': shownError,
      'warnings?': arrayOf(
        objectOf<ShownWarning>({
          code: partly(text),
          message: text,
          'path?': text,
          'item?': text,
          'failed_items?': toleratedItemsSchema,
        }),
      ),
      'more_warnings?': wholeNumber,
      steps: objectOf<RunView['head']['steps']>({
        total: wholeNumber,
        ended: wholeNumber,
        failed: wholeNumber,
      }),
    }),
    nodes: arrayOf(nodeSchema),
  },
  'What a screen shows of a run. A later one, without `is_whole`, holds the nodes that have changed.',
)

export const itemSchema: Schema<ItemRow> = objectOf<ItemRow>({
  index: wholeNumber,
  path: text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'error?': shownError,
  'has_tolerated?': yes,
  'failed_items?': objectOf<NonNullable<ItemRow['failed_items']>>({
    total: wholeNumber,
    failed: wholeNumber,
  }),
  'at?': text,
  'wait?': waitSchema,
})

export const itemsSchema: Schema<ItemPage> = objectOf<ItemPage>({
  items: arrayOf(itemSchema),
  'next?': wholeNumber,
})
