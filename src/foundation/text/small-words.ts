// Written by `npm run words` from policy/small-words.yaml. Do not edit.

export const SMALL_WORDS = {
  en: "the a an per of to and in is are be it its this that these those with for on at by from as when should would could can cannot will not do does don't i we you my our your they their if there have has but or so please what how add fix make use after before instead into which some any more no only also all",
  de: "der die das den dem des ein eine einen einem einer eines und oder nicht ist sind war wird werden wurde wenn ich wir sie es man mit auf für von vom zu zum zur bei aus nach dass auch bitte kann können soll sollte sollten muss ohne im ins am beim als wie noch nur mehr bis über unter keine kein sich hat haben statt damit",
  fr: "le la les des du une un et ou est sont pas que qui quand avec sans dans sur vous nous mon ma mes au aux ce cette ces je il elle on ne se peut doit veuillez pour par plus lors être soit afin lorsque c'est l'utilisateur d'un d'une n'est leur même aussi ajouter",
  es: "el los las del un una unos unas y no es son cuando con sin por para como mi su sus se lo al este esta esto puede debe debería favor que qué en pero más si hay ya está están ser desde hasta también cuando al añadir",
  pt: "o os um uma uns umas do da dos das ao aos à não é são quando com sem em no na nos nas meu minha seu sua pelo pela pode deve deveria você que para por mais se está estão ser isso este esta também foi tem já ou e adicionar",
  other:
    "il lo gli di dei degli della delle nel nella che non sono per ogni puo deve het een niet zijn wordt als ik wij met voor naar aan uit toe graag moet zonder van nie jest oraz gdy dla bez proszę który og ikke er som til uten att och inte ett utan ve bir için ile değil",
} satisfies Record<string, string>;
