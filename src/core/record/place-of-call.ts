/** What a step calls of itself: the groups of a batch, the polls of a repeat, the file of a whole batch. */
const ownCall = /(\/(group|poll)-\d+|\/save-as)+$/

/** The path of the step, or of the item of a loop, that makes a call: of `x/poll-2/group-3` it is `x`. */
export function placeOfCall(callPath: string): string {
  return callPath.replace(ownCall, '')
}
