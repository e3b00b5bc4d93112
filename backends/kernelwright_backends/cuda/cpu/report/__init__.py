"""The driver's answer in the words of the house: facts by instruction become findings at the user's lines."""
