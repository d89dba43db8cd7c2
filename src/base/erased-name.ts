// The name that answers have in place of an erased donator's. Pages show and speech says that the donator is anonymous, in their language.

export const erasedName = "(erased)";
